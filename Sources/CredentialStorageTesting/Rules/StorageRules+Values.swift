internal import CredentialStorage
internal import FoundationEssentials

extension StorageRules {
    static let values: [Rule] = [
        Rule("an entry that was never set is absent") { context in
            let store = context.store
            try requireValue(nil, in: store, "absent", "before anything was set")
            try require(store.keys().isEmpty, "keys names entries in an empty store")
            let bulk = try store.readAll()
            try require(bulk.entries.isEmpty && bulk.isComplete, "readAll finds something in an empty store")
            try store.set(Data([1]), forKey: "present")
            try requireValue(nil, in: store, "absent", "for a name that was never set")
            try requireValue(nil, in: store, "presen", "for a prefix of a name")
            try requireValue(nil, in: store, "present2", "for a longer name")
            try requireValue(nil, in: store, "Present", "for a name in other case")
        },
        Rule("a value that was set is read back") { context in
            try context.store.set(Data([1, 2, 3]), forKey: "name")
            try requireValue(Data([1, 2, 3]), in: context.store, "name", "after set")
            try requireValue(Data([1, 2, 3]), in: context.store, "name", "the second time")
        },
        Rule("setting again replaces the value and nothing else") { context in
            let store = context.store
            try store.set(Data("neighbour".utf8), forKey: "name2")
            for value in [Data("first".utf8), Data("second, which is longer".utf8), Data("3".utf8), Data()] {
                try store.set(value, forKey: "name")
                try requireValue(value, in: store, "name", "after a replacement")
            }
            try requireValue(Data("neighbour".utf8), in: store, "name2", "after its neighbour was replaced")
            try require(
                sameBytes(store.keys(), ["name", "name2"]), "keys lists a replaced entry more or less than once")
        },
        Rule("delete removes one entry and says that it was there") { context in
            let store = context.store
            try store.set(Data([1]), forKey: "name")
            try store.set(Data([2]), forKey: "other")
            try require(store.delete("name"), "delete of a present entry answered false")
            try requireValue(nil, in: store, "name", "after delete")
            try requireValue(Data([2]), in: store, "other", "after its neighbour was deleted")
            try require(sameBytes(store.keys(), ["other"]), "keys still lists a deleted entry, or lost another")
            try store.set(Data([3]), forKey: "name")
            try requireValue(Data([3]), in: store, "name", "when set again after delete")
        },
        Rule("delete of an absent entry answers false and is no error") { context in
            try require(!context.store.delete("absent"), "delete of an absent entry answered true")
            try context.store.set(Data([1]), forKey: "name")
            try require(context.store.delete("name"), "delete of a present entry answered false")
            try require(!context.store.delete("name"), "the second delete answered true")
        },
        Rule("an empty value is a value") { context in
            let store = context.store
            try store.set(Data(), forKey: "empty")
            try requireValue(Data(), in: store, "empty", "after an empty value was set")
            try require(sameBytes(store.keys(), ["empty"]), "keys leaves an empty value out")
            try require(store.readAll()[key: "empty"] == Data(), "readAll leaves an empty value out")
            try store.set(Data([1]), forKey: "empty")
            try store.set(Data(), forKey: "empty")
            try requireValue(Data(), in: store, "empty", "after a value was replaced by an empty one")
            try require(store.delete("empty"), "delete of an empty value answered false")
            try requireValue(nil, in: store, "empty", "after an empty value was deleted")
        },
        Rule("values are any bytes") { context in
            let store = context.store
            for (value, what) in Samples.awkwardValues {
                try store.set(value, forKey: "value")
                try requireValue(value, in: store, "value", "for \(what)")
            }
            for byte in UInt8.min...UInt8.max {
                try store.set(Data([byte]), forKey: "byte \(byte)")
            }
            let bulk = try store.readAll()
            for byte in UInt8.min...UInt8.max {
                try require(bulk[key: "byte \(byte)"] == Data([byte]), "readAll changed the byte \(byte)")
            }
        },
        Rule("a slice of a larger Data is stored as the slice alone") { context in
            let whole = Samples.bytes(100)
            try context.store.set(whole[10..<20], forKey: "slice")
            try requireValue(Data(whole[10..<20]), in: context.store, "slice", "for a slice")
        },
    ]

    static let sizes: [Rule] = [
        Rule("values of 0 bytes to 1 MiB are read back whole") { context in
            let store = context.store
            let limit = context.settings.valueLimit ?? .max
            let counts = [0, 1, 2, 15, 16, 17, 255, 256, 4095, 4096, 4097, 8191, 8192, 8193, 65_535, 65_536, 1 << 20]
            for count in counts where count <= limit {
                let value = Samples.bytes(count, seed: UInt64(count + 1))
                try store.set(value, forKey: "value")
                try requireValue(value, in: store, "value", "for \(count) bytes")
            }
        },
        Rule("a value over the limit is refused and the old one stays") { context in
            let store = context.store
            guard let limit = context.settings.valueLimit else { return try largeValueWithoutLimit(store) }
            let old = Samples.bytes(100)
            let tooLarge = StorageError.writeError(cause: .valueTooLarge(limit: limit))
            try store.set(old, forKey: "value")
            for count in [limit + 1, 2 * limit + 17] {
                let value = Data(count: count)
                try requireError(tooLarge, from: "set of \(count) bytes") { try store.set(value, forKey: "value") }
                try requireError(tooLarge, from: "set of \(count) bytes under a new name") {
                    try store.set(value, forKey: "new")
                }
                try requireError(tooLarge, from: "setSecret of \(count) bytes") {
                    try store.setSecret(value.span, forKey: "value")
                }
            }
            try requireValue(old, in: store, "value", "after a larger one was refused")
            try requireValue(nil, in: store, "new", "after its only value was refused")
            let largest = Samples.bytes(limit)
            try store.set(largest, forKey: "value")
            try requireValue(largest, in: store, "value", "for exactly the limit")
        },
        Rule("a thousand entries are kept apart") { context in
            let store = context.store
            let names = (0..<context.settings.entryCount).map { "entry/\($0)" }
            for (index, name) in names.enumerated() { try store.set(Data("value \(index)".utf8), forKey: name) }
            for (index, name) in names.enumerated() {
                try requireValue(Data("value \(index)".utf8), in: store, name, "among a thousand")
            }
            let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            try require(sameBytes(store.keys(), sorted), "keys does not list a thousand entries in byte order")
            let bulk = try store.readAll()
            try require(bulk.isComplete, "readAll omits some of a thousand entries")
            try require(sameBytes(bulk.entries.map(\.key), sorted), "readAll does not hold a thousand entries in order")
            for (index, name) in names.enumerated() {
                try require(bulk[key: name] == Data("value \(index)".utf8), "readAll mixes a thousand values up")
            }
            for (index, name) in names.enumerated() where !index.isMultiple(of: 3) { try store.delete(name) }
            let left = names.enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element)
            try require(
                sameBytes(store.keys(), left.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }),
                "keys is wrong after two of three were deleted")
        },
    ]

    private static func largeValueWithoutLimit(_ store: any Storage) throws {
        let value = Samples.bytes((1 << 20) + 1)
        try store.set(value, forKey: "value")
        try requireValue(value, in: store, "value", "for more than 1 MiB in a store that declares no limit")
    }
}

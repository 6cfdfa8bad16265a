internal import CredentialStorage
internal import FoundationEssentials

extension StorageRules {
    static let names: [Rule] = [
        Rule("an invalid name is refused by every member") { context in
            let store = context.store
            try store.set(Data([1]), forKey: "present")
            let value = Data([1])
            let read = StorageError.readError(cause: .invalidEntryKey)
            let write = StorageError.writeError(cause: .invalidEntryKey)
            for (name, why) in Samples.invalidNames {
                try requireError(read, from: "get of \(why)") { try store.get(name) }
                try requireError(read, from: "string(forKey:) of \(why)") { try store.string(forKey: name) }
                try requireError(read, from: "withSecret of \(why)") {
                    try store.withSecret(forKey: name) { _ in throw ContractViolation("the body ran for \(why)") }
                }
                try requireError(write, from: "set of \(why)") { try store.set(value, forKey: name) }
                try requireError(write, from: "set of text under \(why)") { try store.set("text", forKey: name) }
                try requireError(write, from: "setSecret of \(why)") { try store.setSecret(value.span, forKey: name) }
                try requireError(.deleteError(cause: .invalidEntryKey), from: "delete of \(why)") {
                    try store.delete(name)
                }
            }
            try require(sameBytes(store.keys(), ["present"]), "an invalid name left something behind")
        },
        Rule("names with slashes, dots, newlines, emoji, spaces and control characters are names like any other") {
            context in
            let store = context.store
            let names = Samples.names(upTo: context.settings.nameLimit)
            for (name, kind) in names { try store.set(Data(kind.utf8), forKey: name) }
            for (name, kind) in names {
                try requireValue(Data(kind.utf8), in: store, name, "for a name with \(kind)")
            }
            let sorted = names.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            try require(sameBytes(store.keys(), sorted), "keys changed, merged or lost an unusual name")
            for (name, kind) in names {
                try require(store.delete(name), "a name with \(kind) could not be deleted")
            }
            try require(store.keys().isEmpty, "an unusual name is left after all were deleted")
        },
        Rule("a name may have as many bytes as is allowed, and one byte tells two of them apart") { context in
            let store = context.store
            let stem = String(repeating: "k", count: context.settings.nameLimit - 1)
            try store.set(Data([1]), forKey: stem + "a")
            try store.set(Data([2]), forKey: stem + "b")
            try requireValue(Data([1]), in: store, stem + "a", "for a name of the longest kind")
            try requireValue(Data([2]), in: store, stem + "b", "for a name of the longest kind")
            try requireValue(nil, in: store, stem, "for a name that is one byte shorter")
            try requireError(.writeError(cause: .invalidEntryKey), from: "set of a name beyond the limit") {
                try store.set(Data([3]), forKey: stem + "ab")
            }
        },
        Rule("composed and decomposed forms of one letter are two entries") { context in
            let store = context.store
            let (one, two) = (Samples.composed, Samples.decomposed)
            try store.set(Data([1]), forKey: one)
            try requireValue(nil, in: store, two, "for the other form of a letter")
            try require(!store.delete(two), "delete took the other form of a letter")
            try requireValue(Data([1]), in: store, one, "after the other form was deleted")
            try store.set(Data([2]), forKey: two)
            try requireValue(Data([1]), in: store, one, "after the other form was set")
            try requireValue(Data([2]), in: store, two, "beside its other form")
            try require(sameBytes(store.keys(), [two, one]), "keys does not hold both forms of a letter")
            let bulk = try store.readAll()
            try require(bulk.entries.count == 2, "readAll does not hold both forms of a letter")
            try require(bulk[key: one] == Data([1]) && bulk[key: two] == Data([2]), "readAll mixes two forms up")
            try require(store.delete(one), "delete did not find the composed form")
            try requireValue(Data([2]), in: store, two, "after the other form was deleted")
            try require(sameBytes(store.keys(), [two]), "delete of one form took the other")
        },
    ]

    static let order: [Rule] = [
        Rule("keys and readAll are in byte order") { context in
            let store = context.store
            let sorted = Samples.namesInByteOrder
            // Neither in order nor backwards, so that insertion order cannot pass for byte order.
            let shuffled = sorted.enumerated().sorted {
                ($0.offset * 7) % sorted.count < ($1.offset * 7) % sorted.count
            }.map(\.element)
            for name in shuffled { try store.set(Data(name.utf8), forKey: name) }
            try require(sameBytes(store.keys(), sorted), "keys is not in byte order")
            let bulk = try store.readAll()
            try require(sameBytes(bulk.entries.map(\.key), sorted), "readAll is not in byte order")
        },
        Rule("keys and readAll hold each name exactly once, with the bytes that were given") { context in
            let store = context.store
            for round in 0..<3 {
                for name in Samples.namesInByteOrder { try store.set(Data([UInt8(round)]), forKey: name) }
            }
            try require(sameBytes(store.keys(), Samples.namesInByteOrder), "keys repeats, loses or changes a name")
            try require(
                sameBytes(store.readAll().entries.map(\.key), Samples.namesInByteOrder),
                "readAll repeats, loses or changes a name")
        },
    ]

    static let bulk: [Rule] = [
        Rule("readAll is complete and finds each value by the bytes of its name") { context in
            let store = context.store
            let names = Samples.names(upTo: context.settings.nameLimit)
            for (name, kind) in names { try store.set(Data(kind.utf8), forKey: name) }
            let bulk = try store.readAll()
            try require(bulk.isComplete, "readAll omits entries of a sound store")
            try require(bulk.entries.count == names.count, "readAll does not hold as many entries as were set")
            for (name, kind) in names {
                try require(bulk[key: name] == Data(kind.utf8), "readAll has another value under a name with \(kind)")
            }
            try require(bulk[key: "absent"] == nil, "readAll has a value under a name that was never set")
            try require(bulk[key: ""] == nil, "readAll has a value under the empty name")
        },
        Rule("readAll is a value of its moment") { context in
            try context.store.set(Data([1]), forKey: "name")
            let before = try context.store.readAll()
            try context.store.set(Data([2]), forKey: "name")
            try context.store.set(Data([3]), forKey: "later")
            try require(
                before.entries == [Entry(key: "name", value: Data([1]))], "a later change reached an earlier read")
        },
        Rule("getAll equals readAll") { context in
            let store = context.store
            let names = Samples.names(upTo: context.settings.nameLimit).map(\.name)
                .filter { !$0.utf8.elementsEqual(Samples.decomposed.utf8) }
            for name in names { try store.set(Data(name.utf8), forKey: name) }
            let all = try store.getAll()
            let bulk = try store.readAll()
            try require(all.count == bulk.entries.count, "getAll and readAll differ in number")
            for entry in bulk.entries {
                try require(all[entry.key] == entry.value, "getAll and readAll differ in a value")
            }
        },
        Rule("getAll refuses to drop one of two names that are equal as String") { context in
            let store = context.store
            try store.set(Data([1]), forKey: Samples.composed)
            try store.set(Data([2]), forKey: Samples.decomposed)
            try requireError(.readError(cause: .ambiguous), from: "getAll") { try store.getAll() }
            try require(store.delete(Samples.decomposed), "the decomposed form could not be deleted")
            try require(store.getAll() == [Samples.composed: Data([1])], "getAll is wrong after one form was deleted")
        },
        Rule("deleteAll empties this store and no other", stores: 2) { context in
            let (store, other) = (context.stores[0], context.stores[1])
            let names = Samples.names(upTo: context.settings.nameLimit).map(\.name)
            for name in names {
                try store.set(Data([1]), forKey: name)
                try other.set(Data([2]), forKey: name)
            }
            try store.deleteAll()
            try require(store.keys().isEmpty, "entries are left after deleteAll")
            try require(store.readAll().entries.isEmpty, "values are left after deleteAll")
            for name in names {
                try requireValue(Data([2]), in: other, name, "after another store's deleteAll")
            }
            try store.deleteAll()
            try store.set(Data([3]), forKey: "again")
            try requireValue(Data([3]), in: store, "again", "after deleteAll")
        },
    ]
}

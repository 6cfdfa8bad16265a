internal import CredentialStorage
internal import FoundationEssentials

extension TransactionRules {
    static let batches: [Rule] = [
        Rule("a batch takes effect as a whole") { context in
            let store = context.store
            try store.set(Data([1]), forKey: "replaced")
            try store.set(Data([1]), forKey: "deleted")
            try store.set(Data([1]), forKey: "untouched")
            try store.update { batch in
                try batch.set(Data([2]), forKey: "replaced")
                try batch.set(Data(), forKey: "empty")
                try batch.set("text", forKey: "text")
                try batch.delete("deleted")
                try batch.delete("absent")
            }
            try requireValue(Data([2]), in: store, "replaced", "after a batch replaced it")
            try requireValue(Data(), in: store, "empty", "after a batch set it")
            try requireValue(Data("text".utf8), in: store, "text", "after a batch set it")
            try requireValue(nil, in: store, "deleted", "after a batch deleted it")
            try requireValue(Data([1]), in: store, "untouched", "after a batch left it alone")
            try require(
                sameBytes(store.keys(), ["empty", "replaced", "text", "untouched"]), "keys is wrong after a batch")
        },
        Rule("when the body throws, nothing changes and its error passes on") { context in
            let store = context.store
            try store.set(Data([1]), forKey: "name")
            try requirePassing(1, through: "update") {
                try store.update { batch in
                    try batch.set(Data([2]), forKey: "name")
                    try batch.set(Data([2]), forKey: "new")
                    throw Passing(number: 1)
                }
            }
            try requireValue(Data([1]), in: store, "name", "after the body threw")
            try require(sameBytes(store.keys(), ["name"]), "an entry of a batch that threw is there")
            try store.update { try $0.set(Data([3]), forKey: "name") }
            try requireValue(Data([3]), in: store, "name", "in the batch after one that threw")
        },
        Rule("a batch sees the store and its own changes, and nobody else sees them yet") { context in
            let store = context.store
            try store.set(Data([1]), forKey: "name")
            try store.update { batch in
                try require(batch.get("name") == Data([1]), "a batch does not see the store")
                try require(batch.get("absent") == nil, "a batch sees an absent entry")
                try batch.set(Data([2]), forKey: "name")
                try batch.set(Data(), forKey: "empty")
                try require(batch.get("name") == Data([2]), "a batch does not see its own change")
                try require(batch.get("empty") == Data(), "a batch does not see its own empty value")
                try requireValue(Data([1]), in: store, "name", "while a batch that changes it has not ended")
                try requireValue(nil, in: store, "empty", "while the batch that sets it has not ended")
                try batch.delete("name")
                try require(batch.get("name") == nil, "a batch sees an entry that it deleted")
            }
            try requireValue(nil, in: store, "name", "after a batch deleted it")
        },
        Rule("the last change of a name wins") { context in
            let store = context.store
            try store.set(Data([1]), forKey: "kept")
            try store.update { batch in
                try batch.delete("kept")
                try batch.set(Data([2]), forKey: "kept")
                try batch.set(Data([3]), forKey: "twice")
                try batch.set(Data([4]), forKey: "twice")
                try batch.set(Data([5]), forKey: "gone")
                try batch.delete("gone")
            }
            try requireValue(Data([2]), in: store, "kept", "after it was deleted and set in one batch")
            try requireValue(Data([4]), in: store, "twice", "after it was set twice in one batch")
            try requireValue(nil, in: store, "gone", "after it was set and deleted in one batch")
        },
        Rule("a batch keeps both forms of one letter") { context in
            let store = context.store
            let (one, two) = (Samples.composed, Samples.decomposed)
            try store.update { batch in
                try batch.set(Data([1]), forKey: one)
                try batch.set(Data([2]), forKey: two)
                try require(batch.get(one) == Data([1]) && batch.get(two) == Data([2]), "a batch mixes two forms up")
            }
            try requireValue(Data([1]), in: store, one, "after a batch set both forms")
            try requireValue(Data([2]), in: store, two, "after a batch set both forms")
            try store.update { try $0.delete(two) }
            try requireValue(Data([1]), in: store, one, "after a batch deleted the other form")
            try requireValue(nil, in: store, two, "after a batch deleted it")
        },
        Rule("an empty batch changes nothing") { context in
            try context.store.set(Data([1]), forKey: "name")
            try context.store.update { _ in }
            try requireValue(Data([1]), in: context.store, "name", "after an empty batch")
        },
        Rule("an invalid name in a batch is refused where it is used") { context in
            let store = context.store
            for (name, why) in Samples.invalidNames {
                let write = StorageError.writeError(cause: .invalidEntryKey)
                try requireError(write, from: "update with \(why)") {
                    try store.update { batch in
                        try batch.set(Data([1]), forKey: "valid")
                        try batch.set(Data([1]), forKey: name)
                    }
                }
                try requireError(write, from: "update that deletes \(why)") { try store.update { try $0.delete(name) } }
                try requireError(.readError(cause: .invalidEntryKey), from: "update that reads \(why)") {
                    try store.update { _ = try $0.get(name) }
                }
            }
            try requireValue(nil, in: store, "valid", "after its batch was refused")
        },
        Rule("a value over the limit refuses the whole batch") { context in
            let store = context.store
            guard let limit = context.settings.valueLimit else { return }
            try store.set(Data([1]), forKey: "name")
            try requireError(.writeError(cause: .valueTooLarge(limit: limit)), from: "update with a large value") {
                try store.update { batch in
                    try batch.set(Data([2]), forKey: "name")
                    try batch.set(Data(count: limit + 1), forKey: "large")
                    try batch.set(Data([2]), forKey: "other")
                }
            }
            try requireValue(Data([1]), in: store, "name", "after its batch was refused")
            try require(sameBytes(store.keys(), ["name"]), "a batch that was refused left something")
        },
        Rule("a batch may hold a thousand changes") { context in
            let store = context.store
            let count = context.settings.entryCount
            try store.update { batch in
                for index in 0..<count { try batch.set(Data("\(index)".utf8), forKey: "entry \(index)") }
            }
            let bulk = try store.readAll()
            try require(bulk.entries.count == count, "not every change of a large batch is there")
            for index in 0..<count {
                try require(bulk[key: "entry \(index)"] == Data("\(index)".utf8), "a large batch mixed values up")
            }
            try store.update { batch in
                for index in 0..<count { try batch.delete("entry \(index)") }
            }
            try require(store.keys().isEmpty, "a large batch did not delete everything")
        },
    ]
}

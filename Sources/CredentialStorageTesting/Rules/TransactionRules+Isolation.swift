internal import CredentialStorage
internal import FoundationEssentials
internal import Synchronization

extension TransactionRules {
    private static let conflict = StorageError.writeError(cause: .conflict)

    static let isolation: [Rule] = [
        Rule("the body runs exactly once") { context in
            let runs = Atomic(0)
            try context.store.update { batch in
                runs.add(1, ordering: .relaxed)
                try batch.set(Data([1]), forKey: "name")
            }
            let count = runs.load(ordering: .relaxed)
            try require(count == 1, "the body ran \(count) times")
        },
        Rule("changing the store from inside the body is a conflict, and reading it works") { context in
            let store = context.store
            try store.set(Data([1]), forKey: "name")
            try store.update { batch in
                try requireError(conflict, from: "set inside update") { try store.set(Data([2]), forKey: "name") }
                try requireError(conflict, from: "setSecret inside update") {
                    try store.setSecret(Data([2]).span, forKey: "name")
                }
                try requireError(conflict, from: "compareAndSet inside update") {
                    try store.compareAndSet("name", expected: Data([1]), new: nil)
                }
                try requireError(conflict, from: "update inside update") { try store.update { _ in } }
                try requireError(.deleteError(cause: .conflict), from: "delete inside update") {
                    try store.delete("name")
                }
                try requireError(.deleteError(cause: .conflict), from: "deleteAll inside update") {
                    try store.deleteAll()
                }
                try requireValue(Data([1]), in: store, "name", "inside update")
                _ = try store.keys()
                _ = try store.readAll()
                try batch.set(Data([3]), forKey: "name")
            }
            try requireValue(Data([3]), in: store, "name", "after a batch with refused changes inside")
            try store.set(Data([4]), forKey: "name")
            try requireValue(Data([4]), in: store, "name", "after the batch")
        },
        Rule("four threads that count in batches lose nothing") { context in
            let store = context.store
            let rounds = max(context.settings.rounds / 2, 1)
            try onThreads(4) { _ in
                for _ in 0..<rounds {
                    try store.update { batch in
                        let old = try batch.get("counter")
                        try batch.set(next(old), forKey: "counter")
                    }
                }
            }
            try requireValue(Data("\(4 * rounds)".utf8), in: store, "counter", "after four threads counted")
        },
        Rule("readers beside batches see all of a batch or none of it") { context in
            let store = context.store
            let rounds = context.settings.rounds
            let isOver = Atomic(false)
            try onThreads(4) { index in
                if index == 0 {
                    defer { isOver.store(true, ordering: .releasing) }
                    for round in 0..<rounds {
                        try store.update { batch in
                            try batch.set(Data("\(round)".utf8), forKey: "left")
                            try batch.set(Data("\(round)".utf8), forKey: "right")
                        }
                    }
                    return
                }
                while !isOver.load(ordering: .acquiring) {
                    let bulk = try store.readAll()
                    try require(bulk[key: "left"] == bulk[key: "right"], "a reader saw half of a batch")
                }
            }
        },
        Rule("compareAndSet, set and batches do not lose each other's changes") { context in
            let store = context.store
            let rounds = max(context.settings.rounds / 4, 1)
            try onThreads(4) { index in
                for round in 0..<rounds {
                    if index.isMultiple(of: 2) {
                        try store.update { try $0.set(next($0.get("counter")), forKey: "counter") }
                    } else {
                        var isDone = false
                        while !isDone {
                            let old = try store.get("counter")
                            isDone = try store.compareAndSet("counter", expected: old, new: next(old))
                        }
                    }
                    try store.set(Data("\(round)".utf8), forKey: "thread \(index)")
                }
            }
            try requireValue(Data("\(4 * rounds)".utf8), in: store, "counter", "after mixed changes")
            try require(store.keys().count == 5, "mixed changes lost an entry")
        },
        Rule(async: "the async form of update does what the synchronous form does") { context in
            let store = context.store
            try await store.update { try $0.set(Data([1]), forKey: "name") }
            try require(await store.get("name") == Data([1]), "async update changed nothing")
            try await requireCancelled(.write, "update") {
                try await store.update { try $0.set(Data([2]), forKey: "name") }
            }
            try require(await store.get("name") == Data([1]), "a cancelled update changed an entry")
        },
    ]
}

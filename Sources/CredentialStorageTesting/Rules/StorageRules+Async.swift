internal import CredentialStorage
internal import FoundationEssentials

extension StorageRules {
    static let async: [Rule] = [
        Rule(async: "the async forms do what the synchronous forms do") { context in
            let store = context.store
            try require(await store.get("name") == nil, "async get of an absent entry found something")
            try await store.set(Data([1, 2]), forKey: "name")
            try await store.set("text", forKey: "text")
            try require(await store.get("name") == Data([1, 2]), "async get answered another value")
            try require(await store.string(forKey: "text") == "text", "async string(forKey:) answered another text")
            try require(sameBytes(await store.keys(), ["name", "text"]), "async keys answered other names")
            try require(await store.readAll()[key: "name"] == Data([1, 2]), "async readAll answered another value")
            try require(await store.getAll()["name"] == Data([1, 2]), "async getAll answered another value")
            let secret = try await store.withSecret(forKey: "name") { copied($0) }
            try require(secret == Data([1, 2]), "async withSecret gave other bytes")
            try require(await store.delete("name"), "async delete of a present entry answered false")
            try require(!(await store.delete("name")), "async delete of an absent entry answered true")
            try await store.deleteAll()
            try require(await store.keys().isEmpty, "async deleteAll left something")
        },
        Rule(async: "the async forms throw the same errors") { context in
            let store = context.store
            try await requireError(.readError(cause: .invalidEntryKey), from: "async get") { try await store.get("") }
            try await requireError(.writeError(cause: .invalidEntryKey), from: "async set") {
                try await store.set(Data(), forKey: "")
            }
            try await requireError(.deleteError(cause: .invalidEntryKey), from: "async delete") {
                try await store.delete("")
            }
        },
        Rule(async: "a task that is cancelled before it starts gets `cancelled` and changes nothing") { context in
            let store = context.store
            try await store.set(Data([1]), forKey: "name")
            try await requireCancelled(.read, "get") { _ = try await store.get("name") }
            try await requireCancelled(.read, "string(forKey:)") { _ = try await store.string(forKey: "name") }
            try await requireCancelled(.read, "withSecret") { try await store.withSecret(forKey: "name") { _ in } }
            try await requireCancelled(.read, "keys") { _ = try await store.keys() }
            try await requireCancelled(.read, "readAll") { _ = try await store.readAll() }
            try await requireCancelled(.read, "getAll") { _ = try await store.getAll() }
            try await requireCancelled(.write, "set") { try await store.set(Data([2]), forKey: "name") }
            try await requireCancelled(.write, "set of text") { try await store.set("2", forKey: "name") }
            try await requireCancelled(.delete, "delete") { try await store.delete("name") }
            try await requireCancelled(.delete, "deleteAll") { try await store.deleteAll() }
            try require(await store.get("name") == Data([1]), "a cancelled task changed an entry")
        },
        Rule(async: "many tasks at once finish") { context in
            let store = context.store
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<64 {
                    group.addTask {
                        let name = "task \(index)"
                        try await store.set(Data([UInt8(index)]), forKey: name)
                        try require(
                            await store.get(name) == Data([UInt8(index)]), "one of many tasks read another value")
                    }
                }
                try await group.waitForAll()
            }
            try require(await store.keys().count == 64, "many tasks did not leave as many entries")
        },
    ]
}

/// Ends the rule unless the body, run in a task that is cancelled already, throws `cancelled`.
func requireCancelled(
    _ operation: StorageOperation,
    _ what: String,
    _ body: @escaping @Sendable () async throws -> Void
) async throws {
    let task = Task {
        // The task goes on only once it is cancelled, so that the body never starts before.
        while !Task.isCancelled { await Task.yield() }
        try await body()
    }
    task.cancel()
    let expected = StorageFault.unavailable(.cancelled).during(operation)
    try await requireError(expected, from: "\(what) in a cancelled task") { try await task.value }
}

internal import CredentialStorage
internal import FoundationEssentials
internal import Testing

@Suite("The memory store", .timeLimit(.minutes(10)))
struct InMemoryStorageTests {
    private static func closed(_ operation: StorageOperation) -> StorageError {
        StorageFault.unavailable(.closed).during(operation)
    }

    @Test("it says what it is")
    func inspection() {
        let storage = StorageBuilder.InMemory().build()
        #expect(storage.backend == .memory)
        #expect(storage.backend.description == "memory")
        #expect(storage.probe() == .usable)
        #expect(storage.protection.source == .none)
        #expect(storage.protection.device == .process)
        #expect(storage.protection.durability == .volatile)
    }

    @Test("after close every member throws `closed`")
    func closing() async throws {
        let storage = StorageBuilder.InMemory().build()
        try storeAndClose(storage)
        try tryClosed(storage)
        #expect(storage.probe().reason == Self.closed(.read))
        #expect(!storage.probe().isReadable && !storage.probe().isWritable)
        await #expect(throws: Self.closed(.read)) { try await storage.waitUntilAvailable() }
        await #expect(throws: Self.closed(.read)) { try await storage.get("name") }
        storage.close()
    }

    private func storeAndClose(_ storage: InMemoryStorage) throws {
        try storage.set(Data([1]), forKey: "name")
        storage.close()
    }

    private func tryClosed(_ storage: InMemoryStorage) throws {
        let value = Data([1])
        #expect(throws: Self.closed(.read)) { try storage.get("name") }
        #expect(throws: Self.closed(.read)) { try storage.get("absent") }
        #expect(throws: Self.closed(.read)) { try storage.withSecret(forKey: "name") { _ in } }
        #expect(throws: Self.closed(.read)) { try storage.keys() }
        #expect(throws: Self.closed(.read)) { try storage.readAll() }
        #expect(throws: Self.closed(.read)) { try storage.acquireLock("lock", timeout: .zero) }
        #expect(throws: Self.closed(.write)) { try storage.set(value, forKey: "name") }
        #expect(throws: Self.closed(.write)) { try storage.setSecret(value.span, forKey: "name") }
        #expect(throws: Self.closed(.write)) { try storage.compareAndSet("name", expected: nil, new: nil) }
        #expect(throws: Self.closed(.write)) { try storage.update { _ in } }
        #expect(throws: Self.closed(.delete)) { try storage.delete("name") }
        #expect(throws: Self.closed(.delete)) { try storage.deleteAll() }
    }

    @Test("a store that is closed inside a transaction keeps nothing of it")
    func closingInside() throws {
        let storage = StorageBuilder.InMemory().build()
        #expect(throws: Self.closed(.write)) {
            try storage.update { batch in
                try batch.set(Data([1]), forKey: "name")
                storage.close()
            }
        }
        #expect(throws: Self.closed(.read)) { try storage.get("name") }
    }

    @Test("a secret that a body holds survives the store's close, and is gone afterwards")
    func closingUnderReader() throws {
        let storage = StorageBuilder.InMemory().build()
        try storage.set(Data([1, 2, 3]), forKey: "name")
        let sum = try storage.withSecret(forKey: "name") { bytes in
            storage.close()
            guard let bytes else { return 0 }
            return Int(bytes[0]) + Int(bytes[1]) + Int(bytes[2])
        }
        #expect(sum == 6)
    }

    @Test("the limit of values can be set", arguments: [0, 1, 100])
    func valueLimit(limit: Int) throws {
        let storage = StorageBuilder.InMemory().valueLimit(limit).build()
        try storage.set(Data(count: limit), forKey: "name")
        let tooLarge = StorageError.writeError(cause: .valueTooLarge(limit: limit))
        let large = Data(count: limit + 1)
        #expect(throws: tooLarge) { try storage.set(large, forKey: "name") }
        #expect(throws: tooLarge) { try storage.setSecret(large.span, forKey: "name") }
        #expect(throws: tooLarge) { try storage.compareAndSet("name", expected: Data(count: limit), new: large) }
        #expect(throws: tooLarge) { try storage.update { try $0.set(large, forKey: "name") } }
        #expect(try storage.get("name") == Data(count: limit))
    }

    @Test("options return changed copies")
    func options() throws {
        let plain = StorageBuilder.InMemory()
        let small = plain.valueLimit(1)
        try plain.build().set(Data(count: 2), forKey: "name")
        #expect(throws: StorageError.writeError(cause: .valueTooLarge(limit: 1))) {
            try small.build().set(Data(count: 2), forKey: "name")
        }
        #expect(throws: StorageError.writeError(cause: .valueTooLarge(limit: 1))) {
            try small.log(.silent).lockedMemory(.preferred).build().set(Data(count: 2), forKey: "name")
        }
    }

    @Test("two stores share nothing, locks included")
    func separation() throws {
        let builder = StorageBuilder.InMemory()
        let (one, other) = (builder.build(), builder.build())
        try one.set(Data([1]), forKey: "name")
        #expect(try other.get("name") == nil)
        let lock = try one.acquireLock("lock", timeout: .zero)
        try other.acquireLock("lock", timeout: .zero).release()
        lock.release()
    }

    @Test("a transaction that waits is told when its task is cancelled")
    func cancelledTransaction() async throws {
        let storage = StorageBuilder.InMemory().build()
        let waiting = Locked<Task<Void, any Error>?>(nil)
        try storage.syncUpdate { batch in
            let task = Task { try await storage.update { try $0.set(Data([2]), forKey: "name") } }
            waiting.withLock { $0 = task }
            task.cancel()
            try batch.set(Data([1]), forKey: "name")
        }
        let task = try #require(waiting.withLock { $0 })
        await #expect(throws: StorageFault.unavailable(.cancelled).during(.write)) { try await task.value }
        #expect(try await storage.get("name") == Data([1]))
    }

    @Test("it is not equal to any other kind, and kinds print their stable name")
    func kinds() {
        #expect(Set([StorageBackend.memory, .file, .secretService]).count == 3)
        #expect([StorageBackend.memory, .file, .secretService].map(\.name) == ["memory", "file", "secret-service"])
    }
}

extension InMemoryStorage {
    /// The synchronous form, from async code.
    fileprivate func syncUpdate(_ body: (inout StorageBatch) throws -> Void) throws { try update(body) }
}

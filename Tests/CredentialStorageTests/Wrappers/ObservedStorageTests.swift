import CredentialStorage
import FoundationEssentials
import Testing

/// Keeps what an observer is told.
private final class Observations: Sendable {
    private let list = Locked<[Observation]>([])

    func append(_ observation: Observation) { list.withLock { $0.append(observation) } }

    /// What was told since the last call.
    func take() -> [Observation] {
        list.withLock { list in
            defer { list = [] }
            return list
        }
    }

    /// The only thing that was told since the last call, as one text.
    func takeOne() -> String {
        let all = take()
        guard all.count == 1, let only = all.first else { return "\(all.count) observations" }
        return "\(only.kind.rawValue) \(only.entry ?? "-") \(only.outcome)"
    }
}

@Suite("An observed store", .timeLimit(.minutes(1)))
struct ObservedStorageTests {
    private let seen = Observations()
    private let base = StorageBuilder.InMemory().build()

    private var storage: ObservedStorage<InMemoryStorage> {
        let seen = self.seen
        return base.observed { seen.append($0) }
    }

    @Test("each operation is told once, with its name and how it ended")
    func tellsEachOperation() throws {
        for five in [false, true] {
            let seen = self.seen
            let base: any Storage = five ? try FiveMemberStorage() : self.base
            let storage = StorageBuilder.observed(over: base) { seen.append($0) }
            #expect(try storage.get("a") == nil)
            #expect(seen.takeOne() == "get a absent")
            try storage.set(Data([1]), forKey: "a")
            #expect(seen.takeOne() == "set a done")
            #expect(try storage.get("a") == Data([1]))
            #expect(seen.takeOne() == "get a done")
            try storage.setSecret(Data([65]).span, forKey: "b")
            #expect(seen.takeOne() == "setSecret b done")
            #expect(try storage.withSecret(forKey: "b") { $0?.count } == 1)
            #expect(seen.takeOne() == "withSecret b done")
            #expect(try storage.withSecret(forKey: "c") { $0 == nil })
            #expect(seen.takeOne() == "withSecret c absent")
            #expect(try storage.keys() == ["a", "b"])
            #expect(seen.takeOne() == "keys - done")
            #expect(try storage.readAll().entries.count == 2)
            #expect(seen.takeOne() == "readAll - done")
            #expect(try storage.getAll().count == 2)
            #expect(seen.takeOne() == "readAll - done")
            #expect(try storage.string(forKey: "b") == "A")
            #expect(seen.takeOne() == "get b done")
            #expect(try storage.delete("a"))
            #expect(seen.takeOne() == "delete a done")
            #expect(try !storage.delete("a"))
            #expect(seen.takeOne() == "delete a absent")
            try storage.deleteAll()
            #expect(seen.takeOne() == "deleteAll - done")
            #expect(throws: StorageError.self) { try storage.get("") }
            #expect(seen.takeOne() == "get  failed(readError(invalidEntryKey))")
        }
    }

    @Test("the atomic, transactional and inspectable operations are told too")
    func tellsTheStrongerOperations() throws {
        #expect(try storage.compareAndSet("a", expected: nil, new: Data()))
        #expect(seen.takeOne() == "compareAndSet a done")
        #expect(try !storage.compareAndSet("a", expected: nil, new: Data()))
        #expect(seen.takeOne() == "compareAndSet a mismatch")
        #expect(try storage.withLock("l", timeout: .zero) { 1 } == 1)
        #expect(seen.takeOne() == "acquireLock l done")
        try storage.update { try $0.set("v", forKey: "a") }
        #expect(seen.takeOne() == "update - done")
        #expect(throws: ForeignStorageError.self) { try storage.update { _ in throw ForeignStorageError() } }
        #expect(seen.takeOne() == "update - abandoned")
        #expect(throws: ForeignStorageError.self) {
            try storage.withSecret(forKey: "a") { _ in throw ForeignStorageError() }
        }
        #expect(seen.takeOne() == "withSecret a abandoned")
        #expect(storage.backend == .memory)
        #expect(storage.probe() == .usable)
        #expect(seen.takeOne() == "probe - done")
        #expect(try storage.protection == base.protection)
        #expect(seen.takeOne() == "protection - done")
        storage.close()
        #expect(seen.takeOne() == "close - done")
        #expect(!storage.probe().isReachable)
        #expect(seen.takeOne() == "probe - failed(readError(unavailable(read, closed)))")
        #expect(throws: StorageError.self) { try storage.update { _ in } }
        #expect(seen.takeOne() == "update - failed(writeError(unavailable(write, closed)))")
    }

    @Test("waiting for availability is told")
    func tellsWaiting() async throws {
        try await storage.waitUntilAvailable()
        #expect(seen.takeOne() == "waitUntilAvailable - done")
        base.close()
        await #expect(throws: StorageError.self) { try await storage.waitUntilAvailable() }
        #expect(seen.takeOne() == "waitUntilAvailable - failed(readError(unavailable(read, closed)))")
    }

    @Test("the async forms are told as their synchronous ones are")
    func tellsAsyncForms() async throws {
        let storage: any TransactionalStorage = self.storage
        try await storage.set("v", forKey: "a")
        #expect(seen.takeOne() == "set a done")
        #expect(try await storage.string(forKey: "a") == "v")
        #expect(seen.takeOne() == "get a done")
        #expect(try await storage.withSecret(forKey: "a") { $0?.count } == 1)
        #expect(seen.takeOne() == "withSecret a done")
        #expect(try await storage.compareAndSet("a", expected: nil, new: nil) == false)
        #expect(seen.takeOne() == "compareAndSet a mismatch")
        try await storage.withLock("l", timeout: .seconds(5)) { await Task.yield() }
        #expect(seen.takeOne() == "acquireLock l done")
        try await storage.update { try $0.delete("a") }
        #expect(seen.takeOne() == "update - done")
        #expect(try await storage.delete("a") == false)
        #expect(seen.takeOne() == "delete a absent")
        try await storage.deleteAll()
        #expect(seen.takeOne() == "deleteAll - done")
    }

    @Test("it has exactly the abilities of its base, also when the type of the base is not known")
    func keepsConformances() throws {
        let strong = StorageBuilder.observed(over: base) { _ in }
        #expect(strong is any TransactionalStorage)
        #expect(strong is any InspectableStorage)
        let both = StorageBuilder.prefixed("x/", over: strong)
        #expect(both as? any AtomicStorage != nil)
        #expect(both as? any TransactionalStorage != nil)
        let middle = StorageBuilder.observed(over: ScriptedAtomicStorage()) { _ in }
        #expect(middle is any AtomicStorage)
        #expect(!(middle is any TransactionalStorage))
        let weak = StorageBuilder.observed(over: try FiveMemberStorage()) { _ in }
        #expect(!(weak is any AtomicStorage))
        #expect(!(weak is any InspectableStorage))
    }

    @Test("a foreign error is told and thrown as foreign, without its text")
    func hidesForeignText() throws {
        let foreign = try FiveMemberStorage()
        foreign.fail(with: ForeignStorageError())
        let seen = self.seen
        let storage = foreign.observed { seen.append($0) }
        func error(_ operation: StorageOperation) -> StorageError {
            StorageError.adopting(ForeignStorageError(), during: operation)
        }
        #expect(throws: error(.read)) { try storage.get("a") }
        #expect(throws: error(.read)) { try storage.withSecret(forKey: "a") { _ in } }
        #expect(throws: error(.write)) { try storage.set("a", forKey: "a") }
        #expect(throws: error(.write)) { try storage.setSecret(Data().span, forKey: "a") }
        #expect(throws: error(.delete)) { try storage.delete("a") }
        #expect(throws: error(.delete)) { try storage.deleteAll() }
        let outcomes = seen.take()
        #expect(outcomes.count == 6)
        for observation in outcomes { #expect(!everyRendering(of: observation).contains("canary")) }
        #expect(outcomes.map(\.outcome) == [.read, .read, .write, .write, .delete, .delete].map { .failed(error($0)) })
    }

    @Test("printing an observation or the store shows no name and no value")
    func isRedacted() throws {
        try storage.set("canary-value", forKey: "canary-name")
        #expect(try storage.string(forKey: "canary-name") == "canary-value")
        let all = seen.take()
        #expect(all.map(\.entry) == ["canary-name", "canary-name"])
        #expect(!everyRendering(of: all).contains("canary"))
        #expect(!everyRendering(of: all[0]).contains("canary"))
        #expect(!everyRendering(of: storage).contains("canary"))
    }

    @Test("the time of the caller's own body is not the store's")
    func leavesTheBodyOut() throws {
        try storage.set("v", forKey: "a")
        _ = seen.take()
        let clock = ContinuousClock()
        let inBody = try storage.withSecret(forKey: "a") { _ in clock.measure { pause(for: .milliseconds(200)) } }
        let told = try #require(seen.take().first)
        #expect(inBody >= .milliseconds(150))
        #expect(told.duration >= .zero)
        #expect(told.duration < inBody)
    }

    @Test("the observer may use the store that it observes")
    func observerMayUseTheStore() throws {
        let base = self.base
        let names = Locked<[String]>([])
        let storage = base.observed { _ in
            let present = try? base.keys()
            names.withLock { $0 = present ?? ["failed"] }
            try? base.set("1", forKey: "told")
        }
        try storage.update { try $0.set("v", forKey: "a") }
        #expect(names.withLock { $0 } == ["a"])
        #expect(try base.keys() == ["a", "told"])
    }
}

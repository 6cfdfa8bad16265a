import CredentialStorage
import FoundationEssentials
import Testing

@Suite("The stronger abilities of a part of a store", .timeLimit(.minutes(1)))
struct PrefixedConformanceTests {
    private let base = StorageBuilder.InMemory().build()
    private var part: PrefixedStorage<InMemoryStorage> { base.prefixed("x/") }

    @Test("it has exactly the abilities of its base, also when the type of the base is not known")
    func keepsConformances() throws {
        let strong = StorageBuilder.prefixed("x/", over: base)
        #expect(strong is any AtomicStorage)
        #expect(strong is any TransactionalStorage)
        #expect(strong is any InspectableStorage)
        #expect(StorageBuilder.prefixed("y/", over: strong) is any TransactionalStorage)
        let middle = StorageBuilder.prefixed("x/", over: ScriptedAtomicStorage())
        #expect(middle is any AtomicStorage)
        #expect(!(middle is any TransactionalStorage))
        #expect(!(middle is any InspectableStorage))
        let weak = StorageBuilder.prefixed("x/", over: try FiveMemberStorage())
        #expect(!(weak is any AtomicStorage))
        #expect(!(weak is any InspectableStorage))
        let atomic = try #require(strong as? any AtomicStorage)
        #expect(try atomic.compareAndSet("a", expected: nil, new: Data([1])))
        #expect(try base.keys() == ["x/a"])
    }

    @Test("compare and set works on its own entries")
    func comparesAndSets() throws {
        try base.set("other", forKey: "a")
        #expect(try part.compareAndSet("a", expected: nil, new: Data("1".utf8)))
        #expect(try !part.compareAndSet("a", expected: nil, new: Data("2".utf8)))
        #expect(try part.compareAndSet("a", expected: Data("1".utf8), new: nil))
        #expect(try base.keys() == ["a"])
        #expect(throws: StorageError.writeError(cause: .invalidEntryKey)) {
            try part.compareAndSet("", expected: nil, new: Data())
        }
    }

    @Test("locks of the same name under two prefixes, or in the base, do not meet; under one prefix they do")
    func locksAreApart() throws {
        let held = try part.acquireLock("l", timeout: .zero)
        let other = try base.prefixed("y/").acquireLock("l", timeout: .zero)
        let plain = try base.acquireLock("l", timeout: .zero)
        let timedOut = StorageError.readError(
            cause: .unavailable(operation: .read, category: .lockTimedOut, code: .none))
        #expect(throws: timedOut) { try part.acquireLock("l", timeout: .zero) }
        #expect(throws: timedOut) { try base.acquireLock("x/l", timeout: .zero) }
        for lock in [held, other, plain] { lock.release() }
        #expect(try part.withLock("l", timeout: .zero) { 5 } == 5)
    }

    @Test("a transaction sees and changes only the part, all or nothing")
    func updates() throws {
        try base.set("outside", forKey: "a")
        try base.set("old", forKey: "x/a")
        try base.set("gone", forKey: "x/b")
        try part.update { batch in
            #expect(try batch.get("a") == Data("old".utf8))
            #expect(try batch.get("x/a") == nil)
            try batch.set("new", forKey: "a")
            try batch.delete("b")
            try batch.set("combining", forKey: "\u{301}")
            #expect(try batch.get("a") == Data("new".utf8))
            #expect(try batch.get("b") == nil)
        }
        #expect(try base.string(forKey: "a") == "outside")
        #expect(try part.string(forKey: "a") == "new")
        #expect(try part.keys() == ["a", "\u{301}"])

        #expect(throws: ForeignStorageError.self) {
            try part.update { batch in
                try batch.delete("a")
                throw ForeignStorageError()
            }
        }
        let tooLong = String(repeating: "n", count: 1023)
        #expect(throws: StorageError.writeError(cause: .invalidEntryKey)) {
            try part.update { batch in
                try batch.delete("a")
                try batch.set("x", forKey: tooLong)
            }
        }
        #expect(throws: StorageError.readError(cause: .invalidEntryKey)) {
            try part.update { _ = try $0.get(tooLong) }
        }
        #expect(throws: StorageError.writeError(cause: .conflict)) {
            try part.update { _ in try part.set("x", forKey: "y") }
        }
        #expect(try part.string(forKey: "a") == "new")
        #expect(try part.keys() == ["a", "\u{301}"])
    }

    @Test("eight threads that count in one part lose nothing")
    func countsTogether() throws {
        let part = self.part
        TokenThreads.run(8) { _ in
            for _ in 0..<50 {
                try? part.update { batch in
                    let count = try batch.get("n").flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
                    try batch.set(String(count + 1), forKey: "n")
                }
            }
        }
        #expect(try base.string(forKey: "x/n") == "400")
    }

    @Test("the async forms reach the part too")
    func worksFromAsyncCode() async throws {
        let part = self.part
        try await part.set("v", forKey: "a")
        #expect(try await base.string(forKey: "x/a") == "v")
        #expect(try await part.keys() == ["a"])
        try await part.update { try $0.set("w", forKey: "b") }
        try await part.waitUntilAvailable()
        try await part.withLock("l", timeout: .seconds(5)) { try await part.deleteAll() }
        #expect(try await base.keys().isEmpty)
    }

    @Test("it says of itself what its base says, and closes it")
    func inspects() async throws {
        #expect(part.backend == .memory)
        #expect(try part.protection == base.protection)
        #expect(part.probe() == .usable)
        part.close()
        #expect(base.probe().reason?.category == .closed)
        #expect(part.probe().reason?.category == .closed)
        let error = await #expect(throws: StorageError.self) { try await part.waitUntilAvailable() }
        #expect(error?.category == .closed)
    }
}

internal import CredentialStorage
internal import Testing

@Suite("Locks")
struct StorageLockTests {
    @Test("releasing runs the action once, however often and by whomever it is done")
    func release() {
        let count = Locked(0)
        do {
            let lock = StorageLock { count.withLock { $0 += 1 } }
            #expect(count.withLock { $0 } == 0)
            lock.release()
            lock.release()
            #expect(count.withLock { $0 } == 1)
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("a lock that goes away is released")
    func deinitialization() {
        let count = Locked(0)
        do {
            let lock = StorageLock { count.withLock { $0 += 1 } }
            withExtendedLifetime(lock) { #expect(count.withLock { $0 } == 0) }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("threads that release at once run the action once")
    func concurrentRelease() async {
        let count = Locked(0)
        let lock = StorageLock { count.withLock { $0 += 1 } }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { lock.release() } }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("locks by name exclude the same bytes only")
    func named() throws {
        let locks = NamedLocks()
        let composed = try locks.acquire(EntryKey("caf\u{E9}"), timeout: .zero)
        let decomposed = try locks.acquire(EntryKey("cafe\u{301}"), timeout: .zero)
        #expect(throws: StorageFault.unavailable(.lockTimedOut)) {
            try locks.acquire(EntryKey(checking: "caf\u{E9}"), timeout: .zero)
        }
        composed.release()
        try locks.acquire(EntryKey("caf\u{E9}"), timeout: .zero).release()
        decomposed.release()
    }

    @Test(
        "a negative timeout tries once, and an endless one does not overflow",
        arguments: [
            Duration.seconds(-1), .zero, .seconds(Int64.max),
        ])
    func extremeTimeouts(timeout: Duration) throws {
        let locks = NamedLocks()
        try locks.acquire(EntryKey("lock"), timeout: timeout).release()
    }
}

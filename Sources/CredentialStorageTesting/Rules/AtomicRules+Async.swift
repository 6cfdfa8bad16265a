internal import CredentialStorage
internal import FoundationEssentials

extension AtomicRules {
    static let async: [Rule] = [
        Rule(async: "the async forms of compareAndSet and locks do what the synchronous forms do") { context in
            let store = context.store
            try require(await store.compareAndSet("name", expected: nil, new: Data([1])), "async create answered false")
            try require(!(await store.compareAndSet("name", expected: nil, new: Data([2]))), "async create overwrote")
            let lock = try await store.acquireLock("lock", timeout: .zero)
            try await requireError(lockTimedOut, from: "async acquireLock of a held lock") {
                try await store.acquireLock("lock", timeout: .zero)
            }
            lock.release()
            let number = try await store.withLock("lock", timeout: .zero) {
                await Task.yield()
                try await requireError(lockTimedOut, from: "async acquireLock inside withLock") {
                    try await store.acquireLock("lock", timeout: .zero)
                }
                return 7
            }
            try require(number == 7, "async withLock lost the result of its body")
            try require(await store.withLock("lock", timeout: .zero) { 8 } == 8, "withLock lost a synchronous result")
            try await store.acquireLock("lock", timeout: .zero).release()
        },
        Rule(async: "a cancelled task that waits for a lock ends promptly with `cancelled`") { context in
            let store = context.store
            let held = try await store.acquireLock("lock", timeout: .zero)
            defer { held.release() }
            let waiting = Task { try await store.acquireLock("lock", timeout: .seconds(3_600)).release() }
            // Cancelled both before and in the middle of its wait, as the scheduler likes; either must end.
            for _ in 0..<100 { await Task.yield() }
            waiting.cancel()
            let expected = StorageFault.unavailable(.cancelled).during(.read)
            try await requireError(expected, from: "a cancelled wait") { try await waiting.value }
        },
        Rule(async: "many tasks that wait for a lock are all cancelled, and the lock still works") { context in
            let store = context.store
            let held = try await store.acquireLock("lock", timeout: .zero)
            let tasks = (0..<16).map { _ in
                Task { try await store.acquireLock("lock", timeout: .seconds(3_600)).release() }
            }
            // Reads go through the same queue, so most of the waits have begun when they are answered.
            for _ in 0..<16 { _ = try await store.get("name") }
            for task in tasks { task.cancel() }
            let expected = StorageFault.unavailable(.cancelled).during(.read)
            for task in tasks {
                try await requireError(expected, from: "a cancelled wait") { try await task.value }
            }
            held.release()
            try await store.acquireLock("lock", timeout: .seconds(60)).release()
        },
        Rule(async: "compareAndSet and acquireLock in a cancelled task get `cancelled` and change nothing") { context in
            let store = context.store
            try await requireCancelled(.write, "compareAndSet") {
                _ = try await store.compareAndSet("name", expected: nil, new: Data([1]))
            }
            try await requireCancelled(.read, "acquireLock") { _ = try await store.acquireLock("lock", timeout: .zero) }
            try await requireCancelled(.read, "withLock") { try await store.withLock("lock", timeout: .zero) {} }
            try require(await store.get("name") == nil, "a cancelled compareAndSet created an entry")
            try await store.acquireLock("lock", timeout: .zero).release()
        },
    ]
}

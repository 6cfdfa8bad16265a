internal import CredentialStorage
internal import FoundationEssentials
internal import Synchronization

extension AtomicRules {
    static let lockTimedOut = StorageFault.unavailable(.lockTimedOut).during(.read)

    static let locks: [Rule] = [
        Rule("a lock excludes every other holder until it is released") { context in
            let store = context.store
            let isInside = Atomic(false)
            let rounds = max(context.settings.rounds / 4, 1)
            try onThreads(4) { _ in
                for _ in 0..<rounds {
                    let lock = try store.acquireLock("lock", timeout: .seconds(60))
                    let wasInside = isInside.exchange(true, ordering: .acquiringAndReleasing)
                    isInside.store(false, ordering: .releasing)
                    lock.release()
                    try require(!wasInside, "two threads held one lock")
                }
            }
        },
        Rule("a lock that another holds times out, and not before the time is over") { context in
            let store = context.store
            let held = try store.acquireLock("lock", timeout: .zero)
            for timeout in [Duration.zero, .milliseconds(50)] {
                let start = ContinuousClock.now
                try requireLocked("lock", in: store, timeout: timeout)
                let waited = ContinuousClock.now - start
                try require(waited >= timeout, "acquireLock gave up after \(waited) instead of \(timeout)")
            }
            held.release()
            try store.acquireLock("lock", timeout: .zero).release()
        },
        Rule("release frees a lock, and a second release does nothing") { context in
            let store = context.store
            let first = try store.acquireLock("lock", timeout: .zero)
            first.release()
            let second = try store.acquireLock("lock", timeout: .zero)
            first.release()
            try requireLocked("lock", in: store, timeout: .zero)
            second.release()
            try store.acquireLock("lock", timeout: .zero).release()
        },
        Rule("a lock is freed when its object goes away") { context in
            let store = context.store
            var lock: StorageLock? = try store.acquireLock("lock", timeout: .zero)
            try requireLocked("lock", in: store, timeout: .zero)
            try require(lock != nil, "the lock went away early")
            lock = nil
            try store.acquireLock("lock", timeout: .zero).release()
        },
        Rule("a lock is not re-entrant") { context in
            let store = context.store
            try store.withLock("lock", timeout: .zero) {
                try requireLocked("lock", in: store, timeout: .zero)
            }
        },
        Rule("a waiting request gets the lock when its holder releases") { context in
            let store = context.store
            let held = try store.acquireLock("lock", timeout: .zero)
            try onThreads(2) { index in
                if index == 0 { return try store.acquireLock("lock", timeout: .seconds(60)).release() }
                held.release()
            }
        },
        Rule("withLock returns what its body returns, passes its error on, and frees the lock in both cases") {
            context in
            let store = context.store
            try require(store.withLock("lock", timeout: .zero) { 7 } == 7, "withLock lost the result of its body")
            try requirePassing(1, through: "withLock") {
                try store.withLock("lock", timeout: .zero) { throw Passing(number: 1) }
            }
            try store.acquireLock("lock", timeout: .zero).release()
        },
        Rule("locks of different names are independent, the two forms of one letter included") { context in
            let store = context.store
            let names = [
                "lock", "Lock", "lock2", "loc", Samples.composed, Samples.decomposed, "a/b", "..", "line\nbreak",
            ]
            let held = try names.map { try store.acquireLock($0, timeout: .zero) }
            for name in names { try requireLocked(name, in: store, timeout: .zero) }
            for lock in held { lock.release() }
            for name in names { try store.acquireLock(name, timeout: .zero).release() }
        },
        Rule("locks of different stores are independent", stores: 2) { context in
            let held = try context.stores[0].acquireLock("lock", timeout: .zero)
            try context.stores[1].acquireLock("lock", timeout: .zero).release()
            held.release()
        },
        Rule("locks and entries share nothing") { context in
            let store = context.store
            try store.set(Data([1]), forKey: "name")
            let held = try store.acquireLock("name", timeout: .zero)
            let other = try store.acquireLock("other", timeout: .zero)
            try require(sameBytes(store.keys(), ["name"]), "a lock shows among the entries")
            try store.set(Data([2]), forKey: "name")
            try requireValue(Data([2]), in: store, "name", "while a lock of its name is held")
            try store.deleteAll()
            try requireLocked("name", in: store, timeout: .zero)
            held.release()
            other.release()
            try require(store.keys().isEmpty, "a lock left an entry")
        },
        Rule("an invalid lock name is refused as a read") { context in
            for (name, why) in Samples.invalidNames {
                try requireError(.readError(cause: .invalidEntryKey), from: "acquireLock of \(why)") {
                    try context.store.acquireLock(name, timeout: .zero)
                }
            }
            let longest = String(repeating: "x", count: context.settings.nameLimit)
            try context.store.acquireLock(longest, timeout: .zero).release()
        },
    ]

    static func requireLocked(_ name: String, in store: any AtomicStorage, timeout: Duration) throws {
        try requireError(lockTimedOut, from: "acquireLock of a held lock") {
            try store.acquireLock(name, timeout: timeout)
        }
    }
}

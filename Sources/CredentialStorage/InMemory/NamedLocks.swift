/// Locks by name inside one process.
package final class NamedLocks: Sendable {
    private let held = Locked<Set<EntryKey>>([])

    package init() {}

    package func acquire(_ name: EntryKey, timeout: Duration) throws(StorageFault) -> StorageLock {
        let deadline = ContinuousClock.now + timeout
        let waiting = StorageCancellation.current?.onCancel { [held] in held.wake() }
        defer { waiting?.cancel() }
        let taken = try held.wait(until: deadline) { (names: inout Set<EntryKey>) throws(StorageFault) -> Bool? in
            try StorageCancellation.check()
            return names.insert(name).inserted ? true : nil
        }
        guard taken != nil else { throw .unavailable(.lockTimedOut) }
        return StorageLock { [held] in
            // A forked child holds a copy of the lock, not the lock.
            guard ForkGuard.isOriginalProcess else { return }
            held.notify { _ = $0.remove(name) }
        }
    }
}

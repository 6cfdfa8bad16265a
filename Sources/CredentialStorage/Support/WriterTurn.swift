internal import Glibc

/// One writer at a time inside this process; a writer that would wait for itself is told instead.
package final class WriterTurn: Sendable {
    private let owner = Locked<pthread_t?>(nil)

    package init() {}

    /// Waits for the turn.
    ///
    /// - Throws: `conflict` when this thread already has it: a transaction's body that writes to its own store.
    package func begin() throws(StorageFault) {
        let me = pthread_self()
        let waiting = StorageCancellation.current?.onCancel { [owner] in owner.wake() }
        defer { waiting?.cancel() }
        _ = try owner.wait(until: nil) { (owner: inout pthread_t?) throws(StorageFault) -> Bool? in
            if let present = owner {
                guard pthread_equal(present, me) == 0 else { throw .conflict }
                try StorageCancellation.check()
                return nil
            }
            owner = me
            return true
        }
    }

    package func end() { owner.notify { $0 = nil } }
}

#if SecretService
    internal import CredentialStorage

    /// One run of a piece of work for all who want it at the same time, and one outcome for all of them.
    final class SingleFlight<Key: Hashable & Sendable>: Sendable {
        private struct Flight {
            var number: Int
        }

        private struct State {
            var running: [Key: Int] = [:]
            var outcomes: [Int: (result: Result<Void, BusFailure>, readers: Int)] = [:]
            var waiting: [Int: Int] = [:]
            var next = 0
        }

        private let state = Locked(State())

        private enum Turn { case lead(Int), follow(Int) }

        /// Runs the work, or waits for the run that is under way.
        ///
        /// A run that ended because its own caller was cancelled, had less time or was allowed less decides nothing for
        /// the others: one of them runs the work anew.
        ///
        /// - Parameters:
        ///   - key: What the work is about.
        ///   - deadline: When to stop waiting for another's run.
        ///   - isDone: Asked under the lock before a new run; there is nothing to do when it says so.
        ///   - work: The work.
        /// - Throws: What the run threw, for all; `timedOut` and `cancelled` for the one that waits.
        func run(
            _ key: Key,
            until deadline: Deadline,
            unless isDone: () -> Bool = { false },
            _ work: () throws(BusFailure) -> Void
        ) throws(BusFailure) {
            while true {
                guard let turn = state.withLock({ begin(key, isDone, &$0) }) else { return }
                switch turn {
                case .lead(let number):
                    let result = Result { () throws(BusFailure) in try work() }
                    finish(key, number, result)
                    return try result.get()
                case .follow(let number):
                    switch try wait(number, deadline) {
                    case .success: return
                    case .failure(let failure) where failure.isOfTheOneThatRan && !deadline.isOver: continue
                    case .failure(let failure): throw failure
                    }
                }
            }
        }

        private func begin(_ key: Key, _ isDone: () -> Bool, _ state: inout State) -> Turn? {
            if let number = state.running[key] {
                state.waiting[number, default: 0] += 1
                return .follow(number)
            }
            guard !isDone() else { return nil }
            state.next += 1
            state.running[key] = state.next
            return .lead(state.next)
        }

        private func finish(_ key: Key, _ number: Int, _ result: Result<Void, BusFailure>) {
            state.notify { state in
                state.running[key] = nil
                let readers = state.waiting.removeValue(forKey: number) ?? 0
                if readers > 0 { state.outcomes[number] = (result, readers) }
            }
        }

        private func wait(_ number: Int, _ deadline: Deadline) throws(BusFailure) -> Result<Void, BusFailure> {
            let cancellation = StorageCancellation.current
            let registration = cancellation?.onCancel { [state] in state.wake() }
            defer { registration?.cancel() }
            let outcome = state.wait(until: deadline.moment) { state -> Result<Void, BusFailure>? in
                if let (result, readers) = state.outcomes[number] {
                    state.outcomes[number] = readers > 1 ? (result, readers - 1) : nil
                    return result
                }
                guard cancellation?.isCancelled ?? false else { return nil }
                return .success(())
            }
            guard let outcome, !(cancellation?.isCancelled ?? false) else {
                leave(number)
                throw outcome == nil ? BusFailure(kind: .timedOut) : BusFailure(kind: .cancelled)
            }
            return outcome
        }

        /// Takes one from the count of those who wait, wherever the run is by now.
        private func leave(_ number: Int) {
            state.withLock { state in
                if let waiting = state.waiting[number] {
                    state.waiting[number] = waiting - 1
                } else if let (result, readers) = state.outcomes[number] {
                    state.outcomes[number] = readers > 1 ? (result, readers - 1) : nil
                }
            }
        }
    }

    /// One at a time, in no order.
    final class SingleTurn: Sendable {
        private let isTaken = Locked(false)

        /// Runs the work when nobody else does.
        ///
        /// - Parameters:
        ///   - deadline: When to stop waiting for the turn.
        ///   - work: The work.
        /// - Returns: What the work returned.
        /// - Throws: `timedOut` and `cancelled` while waiting, and what the work threw.
        func run<R>(until deadline: Deadline, _ work: () throws(BusFailure) -> R) throws(BusFailure) -> R {
            let registration = StorageCancellation.current?.onCancel { [isTaken] in isTaken.wake() }
            defer { registration?.cancel() }
            let turn = isTaken.wait(until: deadline.moment) { isTaken -> Bool? in
                if StorageCancellation.current?.isCancelled ?? false { return false }
                guard !isTaken else { return nil }
                isTaken = true
                return true
            }
            // Decided here: whatever was to be done has not begun.
            guard let turn else { throw .unavailable(.timedOut) }
            guard turn else { throw .unavailable(.cancelled) }
            defer { isTaken.notify { $0 = false } }
            return try work()
        }
    }

    extension BusFailure {
        fileprivate var isOfTheOneThatRan: Bool {
            guard let decided else { return kind == .cancelled || kind == .timedOut || kind == .startable }
            return decided == .unavailable(.cancelled)
        }
    }
#endif

#if SecretService
    internal import CCredentialLibsecret
    internal import CredentialStorage

    /// Takes what comes in on one connection, on GLib's own thread, and hands it to whoever waits for it.
    ///
    /// No main loop has a part in this, so it does not matter whether the program runs one, or where.
    final class BusInbox: Sendable {
        private struct State {
            var waiting: [UInt32: (exchange: BusExchange, place: Int)] = [:]
            var listeners: [Int: @Sendable (BusMessage) -> Void] = [:]
            var nextListener = 0
        }

        private let state = Locked(State())

        /// Orders what GLib's thread reads of a new inbox behind its making.
        ///
        /// GLib's own locks do so too, and the thread sanitizer does not know them.
        private static let handovers = Locked(0)

        /// Gives the inbox to GLib.
        func handOver() -> UnsafeMutableRawPointer {
            Self.handovers.withLock { $0 &+= 1 }
            return unsafe Unmanaged.passRetained(self).toOpaque()
        }

        /// Sends messages while nothing can come in, so that no answer is faster than the note of who waits for it.
        ///
        /// - Parameters:
        ///   - exchange: Who waits.
        ///   - send: Sends all messages and returns their serial numbers.
        func expect(_ exchange: BusExchange, _ send: () -> [UInt32?]) {
            state.withLock { state in
                for (place, serial) in send().enumerated() {
                    if let serial {
                        state.waiting[serial] = (exchange, place)
                    } else {
                        exchange.deliver(.failure(BusFailure(kind: .providerLost)), at: place)
                    }
                }
            }
        }

        /// Forgets an exchange that is over; an answer that comes later is dropped.
        func forget(_ exchange: BusExchange) {
            state.withLock { state in
                state.waiting = state.waiting.filter { $0.value.exchange !== exchange }
            }
        }

        /// Calls a closure for every signal, on GLib's thread, until it is taken back.
        ///
        /// - Parameter listener: Must be quick, and must not call the bus.
        /// - Returns: What takes it back.
        func listen(_ listener: @escaping @Sendable (BusMessage) -> Void) -> Int {
            state.withLock { state in
                state.nextListener += 1
                state.listeners[state.nextListener] = listener
                return state.nextListener
            }
        }

        func stopListening(_ number: Int) { state.withLock { _ = $0.listeners.removeValue(forKey: number) } }

        /// Takes one message.
        ///
        /// - Parameter message: The message.
        /// - Returns: Whether it was an answer that somebody waits for.
        fileprivate func receive(_ message: OpaquePointer) -> Bool {
            guard let message = unsafe BusMessage(message) else { return false }
            switch message.kind {
            case .reply(let serial): return deliver(.success(message.body), to: serial)
            case .error(let serial, let name): return deliver(.failure(BusFailure(errorName: name)), to: serial)
            case .signal:
                for listener in state.withLock({ Array($0.listeners.values) }) { listener(message) }
                return false
            }
        }

        private func deliver(_ result: BusResult, to serial: UInt32) -> Bool {
            guard let (exchange, place) = state.withLock({ $0.waiting.removeValue(forKey: serial) }) else {
                return false
            }
            exchange.deliver(result, at: place)
            return true
        }

        /// The filter of a connection: answers of ours go no further, everything else takes its way.
        static let filter: GDBusMessageFilterFunction = { _, message, incoming, data in
            guard let message = unsafe message, incoming != 0, let data = unsafe data else { return unsafe message }
            handovers.withLock { _ in }
            let inbox = unsafe Unmanaged<BusInbox>.fromOpaque(data).takeUnretainedValue()
            guard unsafe inbox.receive(message) else { return unsafe message }
            unsafe g_object_unref(UnsafeMutableRawPointer(message))
            return nil
        }
    }

    /// Calls that were sent together, and what they came to.
    final class BusExchange: Sendable {
        private struct State {
            var results: [BusResult?]
            var missing: Int
        }

        private let state: Locked<State>

        init(count: Int) { state = Locked(State(results: Array(repeating: nil, count: count), missing: count)) }

        fileprivate func deliver(_ result: BusResult, at place: Int) {
            let isComplete = state.withLock { state in
                guard state.results[place] == nil else { return false }
                state.results[place] = result
                state.missing -= 1
                return state.missing == 0
            }
            // Who waits is woken once, not for each answer.
            if isComplete { state.wake() }
        }

        func wake() { state.wake() }

        /// Waits until every answer is there, the moment is over, or `isOver` says so.
        ///
        /// - Parameters:
        ///   - moment: When to stop waiting.
        ///   - isOver: Asked at each waking.
        /// - Returns: Whether every answer is there.
        func wait(until moment: ContinuousClock.Instant, _ isOver: () -> Bool) -> Bool {
            let answer = state.wait(until: moment) { state in state.missing == 0 || isOver() ? true : nil }
            return answer != nil && state.withLock { $0.missing == 0 }
        }

        /// What there is, with a reason for what there is not.
        func results(missing failure: BusFailure) -> [BusResult] {
            state.withLock { state in state.results.map { $0 ?? .failure(failure) } }
        }
    }
#endif

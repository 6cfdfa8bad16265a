#if SecretService
    internal import CCredentialLibsecret
    internal import CredentialStorage

    /// A connection to a bus that belongs to one store alone.
    ///
    /// Every call has a deadline and can be cancelled; a thread that waits does so on a condition of ours. Answers and
    /// signals are taken by a filter on GLib's thread, so no main loop is needed, and one that runs is not disturbed.
    @safe
    final class BusConnection: @unchecked Sendable {
        // Unchecked: a GDBusConnection may be used from any thread, and the pointer never changes.
        private let connection: OpaquePointer
        let inbox: BusInbox

        private init(owning connection: OpaquePointer) {
            unsafe self.connection = connection
            inbox = BusInbox()
            unsafe g_dbus_connection_set_exit_on_close(connection, 0)
            let data = unsafe inbox.handOver()
            unsafe _ = g_dbus_connection_add_filter(
                connection, BusInbox.filter, data,
                { data in
                    if let data = unsafe data { unsafe Unmanaged<BusInbox>.fromOpaque(data).release() }
                })
        }

        deinit {
            // After a fork the connection, its thread and its locks are the parent's.
            guard ForkGuard.isOriginalProcess else { return }
            // The last reference closes it. A call to close would leave its outcome, and with it the connection, in a
            // main context that nobody runs.
            unsafe g_object_unref(UnsafeMutableRawPointer(connection))
        }

        /// Connects and says hello.
        ///
        /// - Parameters:
        ///   - address: The address of the bus.
        ///   - deadline: When to give up.
        /// - Returns: The connection.
        /// - Throws: `busRefused`, `timedOut` or `cancelled`.
        static func open(_ address: String, _ deadline: Deadline) throws(StorageFault) -> BusConnection {
            guard unsafe g_dbus_is_supported_address(address, nil) != 0 else { throw .unavailable(.busRefused) }
            let attempt = ConnectionAttempt(address)
            return unsafe BusConnection(owning: try attempt.run(until: deadline))
        }

        var isClosed: Bool { unsafe g_dbus_connection_is_closed(connection) != 0 }

        /// Sends calls back to back and waits for all answers together.
        ///
        /// - Parameters:
        ///   - calls: The calls.
        ///   - deadline: When to stop waiting.
        /// - Returns: What each call came to, in the same order.
        func exchange(_ calls: [BusCall], until deadline: Deadline) -> [BusResult] {
            calls.isEmpty ? [] : finish(begin(calls), until: deadline)
        }

        /// Sends calls back to back.
        ///
        /// - Returns: What is to be finished or abandoned.
        func begin(_ calls: some Collection<BusCall>) -> BusExchange {
            let exchange = BusExchange(count: calls.count)
            inbox.expect(exchange) { calls.map { send($0, wantsReply: true) } }
            return exchange
        }

        /// Waits for the answers to calls that were sent.
        func finish(_ exchange: BusExchange, until deadline: Deadline) -> [BusResult] {
            let cancellation = StorageCancellation.current
            let registration = cancellation?.onCancel { exchange.wake() }
            defer { registration?.cancel() }
            while true {
                // A connection that breaks wakes nobody, so it is looked at from time to time.
                let moment = min(deadline.moment, .now + .milliseconds(100))
                let isComplete = exchange.wait(until: moment) { cancellation?.isCancelled ?? false }
                if isComplete { return exchange.results(missing: .malformed) }
                let reason: BusFailure.Kind
                if cancellation?.isCancelled ?? false {
                    reason = .cancelled
                } else if isClosed {
                    reason = .providerLost
                } else if deadline.isOver {
                    reason = .timedOut
                } else {
                    continue
                }
                inbox.forget(exchange)
                let code = reason == .timedOut ? Int32(G_IO_ERROR_TIMED_OUT.rawValue) : nil
                return exchange.results(
                    missing: BusFailure(
                        kind: reason, code: code.map { StatusCode(domain: .gio, number: $0) } ?? .none))
            }
        }

        /// Gives up calls whose answers nobody waits for any more.
        func abandon(_ exchange: BusExchange) { inbox.forget(exchange) }

        /// Makes one call and waits for its answer.
        func call(_ call: BusCall, until deadline: Deadline) throws(BusFailure) -> [BusValue] {
            try exchange([call], until: deadline)[0].get()
        }

        /// Sends a call whose answer nobody waits for.
        func post(_ call: BusCall) { _ = send(call, wantsReply: false) }

        private func send(_ call: BusCall, wantsReply: Bool) -> UInt32? {
            let message = unsafe call.makeMessage(wantsReply: wantsReply)
            defer { unsafe g_object_unref(UnsafeMutableRawPointer(message)) }
            var serial: guint32 = 0
            let isSent = unsafe g_dbus_connection_send_message(
                connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, &serial, nil)
            return isSent != 0 ? serial : nil
        }
    }
#endif

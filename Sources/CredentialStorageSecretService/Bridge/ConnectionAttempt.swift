#if SecretService
    internal import CCredentialLibsecret
    internal import CredentialStorage
    internal import Glibc

    /// One try to connect, which ends at a deadline even where the bus accepts and then says nothing.
    @safe
    final class ConnectionAttempt {
        private let address: String
        private var outcome: Result<UnsafeConnection, StorageFault>?

        /// A connection on its way from GLib to its owner.
        @safe
        struct UnsafeConnection {
            let pointer: OpaquePointer
            init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }
        }

        init(_ address: String) { self.address = address }

        /// What GLib opens for a connection and its threads: where it cannot, it ends the process.
        private static var descriptorsNeeded: Int { 8 }

        private static func checkDescriptors() throws(StorageFault) {
            var opened: [Int32] = []
            defer { for descriptor in opened { close(descriptor) } }
            for _ in 0..<descriptorsNeeded {
                let descriptor = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { throw .unavailable(.ioError, .errno(errno)) }
                opened.append(descriptor)
            }
        }

        /// Runs GLib's asynchronous form in a context of its own, because that one alone can be given up.
        func run(until deadline: Deadline) throws(StorageFault) -> OpaquePointer {
            try Self.checkDescriptors()
            let context = unsafe g_main_context_new()!
            unsafe g_main_context_push_thread_default(context)
            let cancellable = unsafe g_cancellable_new()!
            let handle = unsafe Handle(cancellable: cancellable, context: context)
            let registration = StorageCancellation.current?.onCancel { handle.cancel() }
            defer {
                registration?.cancel()
                unsafe g_main_context_pop_thread_default(context)
                handle.release()
            }
            let flags = GDBusConnectionFlags(
                rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                    | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
            let observer = unsafe ccl_external_only()
            defer { unsafe g_object_unref(UnsafeMutableRawPointer(observer)) }
            // Kept until the callback has run, also where nobody waits for it any more.
            let box = unsafe Unmanaged.passRetained(self).toOpaque()
            unsafe g_dbus_connection_new_for_address(
                address, flags, observer, cancellable,
                { _, result, data in
                    guard let data = unsafe data else { return }
                    unsafe Unmanaged<ConnectionAttempt>.fromOpaque(data).takeRetainedValue().finish(result)
                }, box)
            let patience = unsafe Alarm(after: deadline.left, context, cancelling: cancellable)
            // A cancelled attempt comes to its end at once, but for one that waits for the answer to its hello.
            let last = Deadline(deadline.moment + .seconds(1))
            let end = unsafe Alarm(after: last.left + .milliseconds(10), context, cancelling: cancellable)
            defer {
                patience.stop()
                end.stop()
            }
            while outcome == nil, !last.isOver { unsafe _ = g_main_context_iteration(context, 1) }
            switch outcome {
            case .success(let connection): return unsafe connection.pointer
            case .failure(let fault):
                guard case .unavailable(.cancelled, let code) = fault else { throw fault }
                try StorageCancellation.check()
                throw .unavailable(.timedOut, code)
            case nil: throw .unavailable(.timedOut)
            }
        }

        private func finish(_ result: OpaquePointer?) {
            var error: UnsafeMutablePointer<GError>?
            if let connection = unsafe g_dbus_connection_new_for_address_finish(result, &error) {
                unsafe outcome = .success(UnsafeConnection(connection))
                return
            }
            guard let failure = unsafe error else {
                outcome = .failure(.unavailable(.busRefused))
                return
            }
            defer { unsafe g_error_free(failure) }
            let number = unsafe failure.pointee.code
            let isOfInput = unsafe failure.pointee.domain == g_io_error_quark()
            let code = StatusCode(domain: isOfInput ? .gio : .dbus, number: number)
            let isCancelled = isOfInput && number == Int32(G_IO_ERROR_CANCELLED.rawValue)
            outcome = .failure(.unavailable(isCancelled ? .cancelled : .busRefused, code))
        }

        /// Cancels, and so wakes, after a while.
        @safe
        private struct Alarm {
            private let source: UnsafeMutablePointer<GSource>

            init(
                after duration: Duration, _ context: OpaquePointer, cancelling: UnsafeMutablePointer<GCancellable>
            ) {
                let milliseconds = max(1, min(duration / .milliseconds(1), 3_600_000))
                unsafe source = g_timeout_source_new(guint(milliseconds))
                unsafe g_source_set_callback(
                    source,
                    { cancellable in
                        unsafe g_cancellable_cancel(cancellable?.assumingMemoryBound(to: GCancellable.self))
                        return 0
                    }, cancelling, nil)
                unsafe g_source_attach(source, context)
            }

            func stop() {
                unsafe g_source_destroy(source)
                unsafe g_source_unref(source)
            }
        }

        /// What a cancelling thread may touch.
        @safe
        private final class Handle: Sendable {
            @safe
            private struct State: @unchecked Sendable {
                // Unchecked: both are touched under the lock, and GLib lets any thread cancel and wake.
                var cancellable: UnsafeMutablePointer<GCancellable>?
                var context: OpaquePointer?

                init(_ cancellable: UnsafeMutablePointer<GCancellable>, _ context: OpaquePointer) {
                    unsafe self.cancellable = cancellable
                    unsafe self.context = context
                }
            }

            private let state: Locked<State>

            init(cancellable: UnsafeMutablePointer<GCancellable>, context: OpaquePointer) {
                state = unsafe Locked(State(cancellable, context))
            }

            func cancel() {
                state.withLock { state in
                    guard let cancellable = unsafe state.cancellable, let context = unsafe state.context else { return }
                    unsafe g_cancellable_cancel(cancellable)
                    unsafe g_main_context_wakeup(context)
                }
            }

            func release() {
                state.withLock { state in
                    unsafe g_object_unref(state.cancellable)
                    unsafe g_main_context_unref(state.context)
                    unsafe state.cancellable = nil
                    unsafe state.context = nil
                }
            }
        }
    }
#endif

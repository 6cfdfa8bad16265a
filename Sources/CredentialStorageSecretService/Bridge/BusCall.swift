#if SecretService
    internal import CCredentialLibsecret

    /// One method call.
    struct BusCall: Sendable {
        var destination: String
        var path: ObjectPath
        var interface: String
        var member: String
        var arguments: [BusValue] = []
    }

    extension BusCall {
        /// The message, with a reference for the caller.
        ///
        /// Nothing is started by it: who wants a program to be started asks the bus for that.
        ///
        /// - Parameter wantsReply: Whether an answer is expected.
        /// - Returns: The message.
        func makeMessage(wantsReply: Bool) -> OpaquePointer {
            let message = unsafe g_dbus_message_new_method_call(destination, path.text, interface, member)!
            unsafe g_dbus_message_set_flags(
                message,
                wantsReply
                    ? G_DBUS_MESSAGE_FLAGS_NO_AUTO_START
                    : GDBusMessageFlags(
                        rawValue: G_DBUS_MESSAGE_FLAGS_NO_AUTO_START.rawValue
                            | G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED.rawValue))
            if !arguments.isEmpty {
                unsafe g_dbus_message_set_body(message, BusValue.tuple(arguments).makeVariant())
            }
            return unsafe message
        }
    }

    /// What a call came to: the values of its answer, or why there is none.
    typealias BusResult = Result<[BusValue], BusFailure>

    /// A message that came in.
    struct BusMessage: Sendable {
        enum Kind: Sendable { case reply(to: UInt32), error(to: UInt32, name: String), signal }

        let kind: Kind
        let sender: String?
        let path: ObjectPath?
        let interface: String?
        let member: String?
        let body: [BusValue]

        /// Reads a message; `nil` for one that is neither an answer nor a signal.
        ///
        /// - Parameter message: The message; the caller keeps its reference.
        init?(_ message: OpaquePointer) {
            switch unsafe g_dbus_message_get_message_type(message) {
            case G_DBUS_MESSAGE_TYPE_METHOD_RETURN:
                kind = unsafe .reply(to: g_dbus_message_get_reply_serial(message))
            case G_DBUS_MESSAGE_TYPE_ERROR:
                kind = unsafe .error(
                    to: g_dbus_message_get_reply_serial(message),
                    name: Self.text(g_dbus_message_get_error_name(message)) ?? "")
            case G_DBUS_MESSAGE_TYPE_SIGNAL: kind = .signal
            default: return nil
            }
            sender = unsafe Self.text(g_dbus_message_get_sender(message))
            path = unsafe Self.text(g_dbus_message_get_path(message)).map { ObjectPath(text: $0) }
            interface = unsafe Self.text(g_dbus_message_get_interface(message))
            member = unsafe Self.text(g_dbus_message_get_member(message))
            if let content = unsafe g_dbus_message_get_body(message) {
                body = unsafe BusValue(reading: content).elements ?? []
            } else {
                body = []
            }
        }

        private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
            guard let pointer = unsafe pointer else { return nil }
            return unsafe String(cString: pointer)
        }
    }
#endif

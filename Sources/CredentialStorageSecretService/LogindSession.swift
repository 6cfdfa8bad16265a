#if SecretService
    public import CredentialStorage

    /// Tells from logind whether the user's session is locked.
    ///
    /// It is as good as the desktop that sets the hint. Where there is no logind, no session, or no hint, asking throws, and
    /// stores answer ``UnavailableCategory/sessionStateUnknown``. One question costs one call on the system bus.
    public final class LogindSession: SessionState {
        private let environment: Environment
        private let deadline: Duration
        private let connection = Locked<BusConnection?>(nil)

        /// Watches the session that this process belongs to, or the user's own on a display.
        public convenience init() { self.init(environment: .process) }

        package init(environment: Environment, deadline: Duration = .seconds(2)) {
            self.environment = environment
            self.deadline = deadline
        }

        /// Whether the session is locked now.
        ///
        /// - Returns: `true` while it is locked.
        /// - Throws: ``StorageError/readError(cause:)`` with ``UnavailableCategory/sessionStateUnknown`` when that cannot
        ///   be learnt.
        public func isLocked() throws(StorageError) -> Bool {
            try performing(.read) { () throws(StorageFault) in
                try ForkGuard.check()
                let limit = Deadline(after: deadline)
                do throws(BusFailure) {
                    let connection = try connect(limit)
                    let hint = try connection.call(question(try session(connection, limit)), until: limit)
                    guard let isLocked = hint.first?.inside?.boolean else { throw .malformed }
                    return isLocked
                } catch {
                    guard case .unavailable(let category, let code) = error.fault, category != .cancelled else {
                        throw error.fault
                    }
                    throw .unavailable(.sessionStateUnknown, code)
                }
            }
        }

        private func session(_ connection: BusConnection, _ limit: Deadline) throws(BusFailure) -> ObjectPath {
            guard let name = environment["XDG_SESSION_ID"] else {
                return ObjectPath(text: "/org/freedesktop/login1/session/auto")
            }
            let call = BusCall(
                destination: "org.freedesktop.login1", path: ObjectPath(text: "/org/freedesktop/login1"),
                interface: "org.freedesktop.login1.Manager", member: "GetSession", arguments: [.string(name)])
            guard let path = try connection.call(call, until: limit).first?.path else { throw .malformed }
            return path
        }

        private func question(_ session: ObjectPath) -> BusCall {
            BusCall(
                destination: "org.freedesktop.login1", path: session, interface: "org.freedesktop.DBus.Properties",
                member: "Get", arguments: [.string("org.freedesktop.login1.Session"), .string("LockedHint")])
        }

        private func connect(_ limit: Deadline) throws(BusFailure) -> BusConnection {
            if let present = connection.withLock({ $0 }), !present.isClosed { return present }
            let made = try raising { () throws(StorageFault) in
                try BusConnection.open(BusAddress.system(environment), limit)
            }
            return connection.withLock { present in
                if let other = present, !other.isClosed { return other }
                present = made
                return made
            }
        }
    }
#endif

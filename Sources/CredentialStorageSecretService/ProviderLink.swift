#if SecretService
    internal import CredentialStorage

    /// Finds the provider and keeps what was found: one connection, one provider, one session at a time.
    final class ProviderLink: Sendable {
        private struct State {
            var connection: BusConnection?
            var provider: Provider?
            /// The owner that the bus has named last.
            var announced: String?
            var isClosed = false
        }

        private enum Work: Hashable { case provider, session }

        private let environment: Environment
        private let encryption: SessionEncryption
        private let log: StorageLog
        private let state = Locked(State())
        private let flights = SingleFlight<Work>()

        init(_ environment: Environment, _ encryption: SessionEncryption, _ log: StorageLog) {
            self.environment = environment
            self.encryption = encryption
            self.log = log
        }

        /// The provider that has the name now; it is started where it is installed and not running.
        ///
        /// - Parameters:
        ///   - deadline: When to give up.
        ///   - mayStart: Whether a provider that is not running is started.
        /// - Returns: The provider.
        /// - Throws: Why there is none.
        func provider(until deadline: Deadline, mayStart: Bool = true) throws(BusFailure) -> Provider {
            while true {
                if let provider = try current() { return provider }
                guard !deadline.isOver else { throw BusFailure(kind: .timedOut) }
                try flights.run(
                    .provider, until: deadline, unless: { (try? self.current()) != nil },
                    { () throws(BusFailure) in try find(deadline, mayStart) })
            }
        }

        /// The session with a provider; opened once for all who ask at the same time.
        func session(with provider: Provider, until deadline: Deadline) throws(BusFailure) -> SecretSession {
            while true {
                if let session = provider.session { return session }
                guard !deadline.isOver else { throw BusFailure(kind: .timedOut) }
                let opening = SessionOpening(provider: provider, encryption: encryption, log: log)
                try flights.run(
                    .session, until: deadline, unless: { provider.session != nil },
                    { () throws(BusFailure) in provider.use(try opening.open(until: deadline)) })
            }
        }

        var isClosed: Bool { state.withLock { $0.isClosed } }

        func close() {
            let (connection, provider) = state.withLock { state in
                state.isClosed = true
                defer {
                    state.connection = nil
                    state.provider = nil
                }
                return (state.connection, state.provider)
            }
            if let connection, let provider, let session = provider.session {
                connection.post(provider.call("Session", "Close", on: session.path))
            }
        }

        private func current() throws(BusFailure) -> Provider? {
            let (provider, isClosed) = state.withLock { ($0.provider, $0.isClosed) }
            guard !isClosed else { throw .unavailable(.closed) }
            return provider?.isGone ?? true ? nil : provider
        }

        private func find(_ deadline: Deadline, _ mayStart: Bool) throws(BusFailure) {
            let connection = try connect(deadline)
            let search = ProviderSearch(connection: connection, deadline: deadline)
            let provider = try search.run(mayStart: mayStart)
            let isClosed = state.withLock { state in
                // The name may have gone to another between the answer and this line.
                if let owner = state.announced, owner != provider.name { provider.markGone() }
                if !state.isClosed { state.provider = provider }
                return state.isClosed
            }
            guard !isClosed else { throw .unavailable(.closed) }
        }

        private func connect(_ deadline: Deadline) throws(BusFailure) -> BusConnection {
            if let connection = state.withLock({ $0.connection }), !connection.isClosed { return connection }
            let connection = try raising { () throws(StorageFault) in
                try BusConnection.open(try BusAddress.session(environment), deadline)
            }
            _ = connection.inbox.listen { [weak self] message in self?.follow(message) }
            try ProviderSearch(connection: connection, deadline: deadline).watch()
            state.withLock { state in
                state.provider = nil
                state.announced = nil
                state.connection = state.isClosed ? nil : connection
            }
            return connection
        }

        /// Takes note of a signal; runs on GLib's thread.
        private func follow(_ message: BusMessage) {
            switch message.member {
            case "NameOwnerChanged" where message.sender == "org.freedesktop.DBus" && message.body.count == 3:
                guard message.body[0].string == Provider.wellKnownName, let owner = message.body[2].string else {
                    return
                }
                state.withLock { state in
                    state.announced = owner
                    if let provider = state.provider, provider.name != owner { provider.markGone() }
                }
            case "ItemCreated", "ItemDeleted", "ItemChanged":
                let provider = state.withLock { $0.provider }
                guard let provider, message.sender == provider.name else { return }
                provider.items.noteChange(of: message.body.first?.path)
            default: break
            }
        }
    }

    /// Asks the bus who has the name.
    struct ProviderSearch {
        let connection: BusConnection
        let deadline: Deadline

        /// Asks for the signals that a store listens to: they are the same for all that it does.
        func watch() throws(BusFailure) {
            let rules = [
                "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
                    + "member='NameOwnerChanged',arg0='\(Provider.wellKnownName)'",
                "type='signal',sender='\(Provider.wellKnownName)',interface='org.freedesktop.Secret.Prompt',"
                    + "member='Completed'",
                "type='signal',sender='\(Provider.wellKnownName)',interface='org.freedesktop.Secret.Collection'",
            ]
            for result in connection.exchange(rules.map { bus("AddMatch", $0) }, until: deadline) {
                _ = try result.get()
            }
        }

        func run(mayStart: Bool) throws(BusFailure) -> Provider {
            if let provider = try find() { return provider }
            guard mayStart else {
                let names = try connection.call(bus("ListActivatableNames"), until: deadline)
                guard case .array(_, let list)? = names.first,
                    list.contains(where: { $0.string == Provider.wellKnownName })
                else { throw BusFailure(kind: .noProvider) }
                throw BusFailure(kind: .startable)
            }
            do throws(BusFailure) {
                let arguments: [BusValue] = [.string(Provider.wellKnownName), .unsigned32(0)]
                var start = bus("StartServiceByName")
                start.arguments = arguments
                _ = try connection.call(start, until: deadline)
            } catch {
                switch error.kind {
                case .noProvider, .denied, .cancelled, .providerLost: throw error
                // One that never takes the name is one that does not start.
                default: throw BusFailure(kind: .failedToStart, code: error.code)
                }
            }
            guard let provider = try find() else { throw BusFailure(kind: .failedToStart) }
            return provider
        }

        private func find() throws(BusFailure) -> Provider? {
            let own = ProviderKind.allCases.flatMap { kind in kind.names.map { (kind: kind, name: $0) } }
            let names = [Provider.wellKnownName] + own.map(\.name)
            let owners = connection.exchange(names.map { bus("GetNameOwner", $0) }, until: deadline)
            let owner: String
            switch owners[0] {
            case .success(let values):
                guard let name = values.first?.string, name.hasPrefix(":") else { throw .malformed }
                owner = name
            case .failure(let failure) where failure.kind == .noProvider: return nil
            case .failure(let failure): throw failure
            }
            let program = zip(own, owners.dropFirst()).first { _, result in
                (try? result.get())?.first?.string == owner
            }?.0
            let wallet = WalletService.all.first { $0.name == program?.name }
            return Provider(connection, name: owner, kind: program?.kind, wallet: wallet)
        }

        private func bus(_ member: String, _ argument: String? = nil) -> BusCall {
            BusCall(
                destination: "org.freedesktop.DBus", path: .bus, interface: "org.freedesktop.DBus", member: member,
                arguments: argument.map { [.string($0)] } ?? [])
        }
    }
#endif

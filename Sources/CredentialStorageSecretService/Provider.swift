#if SecretService
    internal import CredentialStorage

    /// The program that has the Secret Service's name at this time, on one connection.
    ///
    /// Calls go to its own name on the bus, not to the well-known one, so an answer is never that of a successor.
    final class Provider: Sendable {
        static let wellKnownName = "org.freedesktop.secrets"

        let connection: BusConnection
        /// Its unique name.
        let name: String
        /// The name and path of KWallet's own service, where this provider is a KWallet.
        let wallet: WalletService?
        /// Which program it is, where that is known.
        let kind: ProviderKind?
        /// Providers that confirm changes by themselves do so one by one, and each is to have its whole second.
        let silentPrompts = SingleTurn()
        let items = KnownItems()

        private struct State {
            var session: SecretSession?
            var isGone = false
            var binding: Binding?
            var walletHandles: [ObjectPath: Int32] = [:]
        }

        private let state = Locked(State())

        /// That the entries of the store were made with this provider, and whether this object has noted it.
        enum Binding: Sendable { case here, noted }

        init(_ connection: BusConnection, name: String, kind: ProviderKind?, wallet: WalletService?) {
            self.connection = connection
            self.name = name
            self.kind = kind
            self.wallet = wallet
        }

        var tellsEveryChange: Bool { kind?.tellsEveryChange ?? false }

        var session: SecretSession? { state.withLock { $0.session } }

        func use(_ session: SecretSession) { state.withLock { $0.session = session } }

        /// Gives up a session that no longer works, unless another thread has replaced it already.
        func drop(_ session: SecretSession?) {
            state.withLock { state in
                if state.session?.path == session?.path { state.session = nil }
            }
        }

        /// Whether another program has taken the name, or nobody has it.
        var isGone: Bool { state.withLock { $0.isGone } || connection.isClosed }

        /// `nil` until it was found out.
        var binding: Binding? {
            get { state.withLock { $0.binding } }
            set { state.withLock { $0.binding = newValue } }
        }

        /// The handle of an opened wallet.
        ///
        /// It stays open as long as this connection: to close the last handle of a wallet may lock it.
        func walletHandle(of collection: ObjectPath) -> Int32? {
            state.withLock { $0.walletHandles[collection] }
        }

        func note(_ handle: Int32?, of collection: ObjectPath) {
            state.withLock { $0.walletHandles[collection] = handle }
        }

        func markGone() { state.withLock { $0.isGone = true } }

        /// One call of an interface of the Secret Service.
        func call(_ interface: String, _ member: String, on path: ObjectPath, _ arguments: [BusValue] = []) -> BusCall {
            BusCall(
                destination: name, path: path, interface: "org.freedesktop.Secret." + interface, member: member,
                arguments: arguments)
        }

        /// Reads one property.
        func property(_ name: String, of interface: String, on path: ObjectPath) -> BusCall {
            BusCall(
                destination: self.name, path: path, interface: "org.freedesktop.DBus.Properties", member: "Get",
                arguments: [.string("org.freedesktop.Secret." + interface), .string(name)])
        }

        /// Reads the attributes of an item.
        ///
        /// Never all properties at once: gnome-keyring looks for the item once for each of them, among all that it holds.
        func attributes(of item: ObjectPath) -> BusCall { property("Attributes", of: "Item", on: item) }

        /// Asks whether an item is locked.
        func lockState(of item: ObjectPath) -> BusCall { property("Locked", of: "Item", on: item) }

        /// Asks for the secrets of items.
        func secrets(of items: [ObjectPath], _ session: SecretSession) -> BusCall {
            call("Service", "GetSecrets", on: .service, [.paths(items), .path(session.path)])
        }

        /// The secrets in an answer to that.
        static func secrets(in reply: [BusValue]) throws(BusFailure) -> [ObjectPath: BusValue] {
            guard case .dictionary(_, let pairs)? = reply.first else { throw .malformed }
            var secrets: [ObjectPath: BusValue] = [:]
            secrets.reserveCapacity(pairs.count)
            for pair in pairs {
                guard let path = pair.key.path else { throw .malformed }
                secrets[path] = pair.value
            }
            return secrets
        }

        /// A bus holds only so many open calls of one program: 128 where its configuration does not say.
        static let window = 64

        /// Sends calls back to back and waits for all answers.
        ///
        /// - Parameters:
        ///   - calls: The calls.
        ///   - deadline: When to give up.
        /// - Returns: What each call came to, in the same order.
        /// - Throws: What is the same for all of them: `timedOut`, `cancelled`, `denied` and `providerLost`.
        func exchange(_ calls: [BusCall], until deadline: Deadline) throws(BusFailure) -> [BusResult] {
            try exchange(calls) { deadline }
        }

        /// Sends many calls and waits for all answers, for as long as they keep coming.
        ///
        /// - Parameters:
        ///   - calls: The calls.
        ///   - deadline: Asked for anew at each part of a window.
        /// - Returns: What each call came to, in the same order.
        /// - Throws: What is the same for all of them: `timedOut`, `cancelled`, `denied` and `providerLost`.
        func exchange(_ calls: [BusCall], renewing deadline: () -> Deadline) throws(BusFailure) -> [BusResult] {
            var results: [BusResult] = []
            results.reserveCapacity(calls.count)
            var portions = calls.portions(of: Self.window / 2)[...]
            // One part is under way while the answers to the other are taken, so that the provider never waits for us.
            var open: [(calls: ArraySlice<BusCall>, exchange: BusExchange)] = []
            defer { for (_, exchange) in open { connection.abandon(exchange) } }
            while true {
                while open.count < 2, let portion = portions.popFirst() {
                    open.append((portion, connection.begin(portion)))
                }
                guard !open.isEmpty else { return results }
                let (portion, exchange) = open.removeFirst()
                let answers = connection.finish(exchange, until: deadline())
                for (call, answer) in zip(portion, answers) {
                    results.append(try sorted(answer.isRefusedByBus ? again(call, until: deadline()) : answer))
                }
            }
        }

        /// Makes a call that the bus had no room for: other threads use the same connection, and their calls end soon.
        private func again(_ call: BusCall, until deadline: Deadline) throws(BusFailure) -> BusResult {
            while true {
                pause(for: .milliseconds(2))
                let answer = connection.exchange([call], until: deadline)[0]
                guard answer.isRefusedByBus else { return answer }
                guard !deadline.isOver else { throw BusFailure(kind: .timedOut) }
                try raising { () throws(StorageFault) in try StorageCancellation.check() }
            }
        }

        /// Throws what concerns the provider, not the call.
        private func sorted(_ result: BusResult) throws(BusFailure) -> BusResult {
            guard case .failure(let failure) = result else { return result }
            switch failure.kind {
            case .noProvider, .providerLost:
                // Nobody has the unique name any more.
                markGone()
                throw BusFailure(kind: .providerLost, code: failure.code)
            case .timedOut, .cancelled, .denied: throw failure
            default: return result
            }
        }

        /// Makes one call.
        func answer(_ call: BusCall, until deadline: Deadline) throws(BusFailure) -> [BusValue] {
            try exchange([call], until: deadline)[0].get()
        }
    }

    extension BusResult {
        fileprivate var isRefusedByBus: Bool {
            if case .failure(let failure) = self { failure.kind == .limited } else { false }
        }
    }

    /// Where a KWallet answers to its own interface.
    struct WalletService: Sendable {
        let name: String
        let path: ObjectPath

        /// The versions that also speak the Secret Service's protocol.
        static let all = [
            WalletService(name: "org.kde.kwalletd6", path: ObjectPath(text: "/modules/kwalletd6")),
            WalletService(name: "org.kde.kwalletd5", path: ObjectPath(text: "/modules/kwalletd5")),
        ]
    }
#endif

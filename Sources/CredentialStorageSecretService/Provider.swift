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

        private struct State {
            var session: SecretSession?
            var isGone = false
            var itemChanges = 0
            var binding: Binding?
            var walletHandles: [ObjectPath: Int32] = [:]
        }

        private let state = Locked(State())

        /// Whether the entries of the store were made with this provider.
        enum Binding: Sendable { case here, noted, elsewhere }

        init(_ connection: BusConnection, name: String, kind: ProviderKind?, wallet: WalletService?) {
            self.connection = connection
            self.name = name
            self.kind = kind
            self.wallet = wallet
        }

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

        /// How often the provider has said that items came, went or changed.
        var itemChanges: Int { state.withLock { $0.itemChanges } }

        /// `nil` until it was looked up.
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

        func noteItemChange() { state.withLock { $0.itemChanges += 1 } }

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

        /// Reads all properties.
        func properties(of interface: String, on path: ObjectPath) -> BusCall {
            BusCall(
                destination: name, path: path, interface: "org.freedesktop.DBus.Properties", member: "GetAll",
                arguments: [.string("org.freedesktop.Secret." + interface)])
        }

        /// A bus holds only so many open calls of one program: 128 where its configuration does not say.
        private static let window = 64

        /// Sends calls back to back and waits for all answers.
        ///
        /// - Parameters:
        ///   - calls: The calls.
        ///   - deadline: When to give up.
        /// - Returns: What each call came to, in the same order.
        /// - Throws: What is the same for all of them: `timedOut`, `cancelled`, `denied` and `providerLost`.
        func exchange(_ calls: [BusCall], until deadline: Deadline) throws(BusFailure) -> [BusResult] {
            var results: [BusResult] = []
            results.reserveCapacity(calls.count)
            for portion in calls.portions(of: Self.window) {
                var open = Array(portion)
                while !open.isEmpty {
                    let answers = connection.exchange(open, until: deadline)
                    // The bus takes calls in order, so those that it refuses are the last ones.
                    let taken = answers.firstIndex { $0.isRefusedByBus } ?? answers.count
                    for answer in answers[..<taken] { results.append(try sorted(answer)) }
                    open.removeFirst(taken)
                    guard !open.isEmpty else { break }
                    guard !deadline.isOver else { throw BusFailure(kind: .timedOut) }
                    try raising { () throws(StorageFault) in try StorageCancellation.check() }
                    // Other threads use the same connection; their calls end soon.
                    if taken == 0 { pause(for: .milliseconds(2)) }
                }
            }
            return results
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

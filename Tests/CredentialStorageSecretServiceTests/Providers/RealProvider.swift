#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    /// The providers that people have.
    enum RealProvider: String, CaseIterable, CustomTestStringConvertible {
        case gnomeKeyring = "gnome-keyring"
        case keePassXC = "KeePassXC"
        case kWallet = "KWallet"

        var testDescription: String { rawValue }

        /// Those that this run is about: `make providers` asks for all, other runs take the one that `make test`
        /// installs.
        static let chosen: [RealProvider] =
            Environment.process["CREDENTIAL_PROVIDERS"] == "all" ? allCases : [.gnomeKeyring]

        private static let running = RealProvider.allCases.map { provider in Shared { try provider.start() } }

        /// One running provider for all tests that leave it as it was.
        func shared() throws -> Running { try Self.running[Self.allCases.firstIndex(of: self) ?? 0].get() }

        /// A provider that is running and open.
        struct Running: Sendable {
            let bus: PrivateBus
            /// Ends it in the way in which it keeps what it was given, and starts it again over the same files, open.
            let restart: @Sendable () throws -> Void
            /// Ends it as a crash would, and starts it again over the same files, open.
            let crash: @Sendable () throws -> Void
        }

        func start() throws -> Running {
            switch self {
            case .gnomeKeyring:
                let keyring = try GnomeKeyring()
                let again: @Sendable () throws -> Void = { try keyring.restart(.unlocked("password")) }
                return Running(bus: keyring.bus, restart: again, crash: again)
            case .keePassXC:
                let program = try KeePassXC()
                return Running(
                    bus: program.bus, restart: { try program.restart() },
                    crash: {
                        try program.kill()
                        try program.start()
                    })
            case .kWallet:
                let wallet = try KWallet()
                return Running(bus: wallet.bus, restart: { try wallet.restart() }, crash: { try wallet.restart() })
            }
        }
    }
#endif

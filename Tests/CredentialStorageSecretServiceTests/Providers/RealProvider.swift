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

        /// Those that this run is about.
        static let chosen: [RealProvider] = triesAllProviders ? allCases : [.gnomeKeyring]

        /// Those that no row of the contracts has.
        static let others: [RealProvider] = triesAllProviders ? [.keePassXC, .kWallet] : []

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
                // Opened as the login does it: to ask whether a password is needed would be a dialog.
                let wallet = try KWallet()
                let again: @Sendable () throws -> Void = {
                    try wallet.restart()
                    try wallet.open()
                }
                try wallet.open()
                return Running(bus: wallet.bus, restart: again, crash: again)
            }
        }
    }
#endif

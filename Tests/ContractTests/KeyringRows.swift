#if SecretService
    internal import CredentialStorage
    internal import CredentialStorageSealing
    internal import CredentialStorageSecretService
    internal import CredentialTestSupport
    internal import SecretServiceTestSupport

    /// The stores over a real gnome-keyring.
    enum KeyringRows {
        /// `make check` needs no bus, and says that it leaves them out.
        static let isWanted = Environment.process["CREDENTIAL_WITHOUT_BUS"] == nil

        static let atomic: [StoreUnderTest<any AtomicStorage>] = isWanted ? rows : []
        static let atomicTokens: [StoreUnderTest<any AtomicTokenStore>] = isWanted ? tokenRows : []

        private static let rows: [StoreUnderTest<any AtomicStorage>] = [
            StoreUnderTest("gnome-keyring", pace: .slow) { try TemporaryKeyring.makeStore() },
            StoreUnderTest("prefixed gnome-keyring", nameLimit: EntryKey.maximumLength - 7, pace: .slow) {
                try TemporaryKeyring.makeStore().prefixed("prefix/")
            },
            StoreUnderTest("sealed gnome-keyring", pace: .slow) {
                try SealedStores.over(try TemporaryKeyring.makeStore(valueLimit: SealedStores.roomForSealed), .sealed)
            },
            StoreUnderTest("automatic with a gnome-keyring") {
                let (bus, service) = try TemporaryKeyring.nextPlace()
                return try TemporaryAutomatic.make(service, on: bus.variables)
            },
            StoreUnderTest("file under a key in a gnome-keyring") {
                try TemporaryVault.make(keySource: .entry("vault-key", in: try TemporaryKeyring.makeStore()))
            },
        ]

        private static let tokenRows: [StoreUnderTest<any AtomicTokenStore>] = [
            StoreUnderTest("entry of a gnome-keyring", pace: .slow) {
                SecretServiceTokenStore(try TemporaryKeyring.makeStore())
            }
        ]
    }

    /// Empty stores over daemons that go away with the process.
    enum TemporaryKeyring {
        private struct State {
            var keyrings: [GnomeKeyring] = []
            var made = 0
        }

        private static let state = Locked(State())

        /// The daemon writes its whole file with each change, so that each serves a few stores only; the one before the
        /// last may still be in use.
        static func nextPlace() throws -> (bus: PrivateBus, service: String) {
            try state.withLock { state in
                if state.made.isMultiple(of: 8) {
                    state.keyrings = state.keyrings.suffix(1) + [try GnomeKeyring()]
                }
                state.made += 1
                return (state.keyrings[state.keyrings.count - 1].bus, "org.example.contract-\(state.made)")
            }
        }

        static func makeStore(valueLimit: Int = 1 << 20) throws -> SecretServiceStorage {
            let (bus, service) = try nextPlace()
            return StorageBuilder.SecretService(service: service)
                .environment(bus.environment)
                .deadline(.seconds(30))
                .valueLimit(valueLimit)
                .build()
        }
    }
#else
    internal import CredentialStorage
    internal import CredentialTestSupport

    /// A build without the Secret Service has no such stores.
    enum KeyringRows {
        static let atomic: [StoreUnderTest<any AtomicStorage>] = []
        static let atomicTokens: [StoreUnderTest<any AtomicTokenStore>] = []
    }
#endif

#if SecretService
    public import CredentialStorage

    /// A token store in the user's keyring, in one line.
    ///
    /// ```swift
    /// let tokens = SecretServiceTokenStore(service: "org.example.app")
    /// ```
    ///
    /// No dialog is shown: a locked keyring is an error. Safe to use from several threads and processes.
    public struct SecretServiceTokenStore: AtomicTokenStore {
        private let tokens: StorageTokenStore<SecretServiceStorage>

        /// Names the service.
        ///
        /// The bus is reached by the first operation.
        ///
        /// - Parameter service: The application's namespace.
        public init(service: String) {
            self.init(StorageBuilder.SecretService(service: service).build())
        }

        package init(_ storage: SecretServiceStorage) { tokens = StorageTokenStore(storage) }

        /// Reads the token.
        public func load() throws(StorageError) -> SDKInstallToken? { try tokens.load() }

        /// Stores a token in place of an earlier one.
        public func save(_ token: SDKInstallToken) throws(StorageError) { try tokens.save(token) }

        /// Removes the token.
        public func clear() throws(StorageError) { try tokens.clear() }

        /// Changes the token only if it still is the expected one, among all processes.
        public func replace(_ expected: SDKInstallToken?, with new: SDKInstallToken?) throws(StorageError) -> Bool {
            try tokens.replace(expected, with: new)
        }

        /// Runs a body while no other process of this user runs one under this store's lock.
        nonisolated(nonsending) public func withRefreshLock<R>(
            timeout: Duration,
            _ body: () async throws -> R
        ) async throws -> R {
            try await tokens.withRefreshLock(timeout: timeout, body)
        }
    }

    extension SecretServiceTokenStore: StoredTokens {
        package var tokenStorage: any Storage { tokens.tokenStorage }
    }
#endif

public import CredentialStorage

/// A token store in an encrypted file of its own service, in one line.
///
/// ```swift
/// let tokens = EncryptedFileTokenStore(service: "org.example.app")
/// ```
///
/// The key is the service's default key file, and the vault is bound to this machine: a copy elsewhere answers
/// ``UnavailableCategory/keySourceUnavailable``. Safe to use from several threads and processes.
public struct EncryptedFileTokenStore: AtomicTokenStore {
    private let tokens: StorageTokenStore<EncryptedFileStorage>

    /// Names the service.
    ///
    /// The file is opened by the first operation.
    ///
    /// - Parameter service: The application's namespace.
    public init(service: String) {
        let storage = StorageBuilder.EncryptedFile(service: service)
            .accessibility(.afterFirstUnlockThisDeviceOnly)
            .build()
        tokens = StorageTokenStore(storage)
    }

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

    /// Runs a body while no other process on this machine runs one under this store's lock.
    nonisolated(nonsending) public func withRefreshLock<R>(
        timeout: Duration,
        _ body: () async throws -> R
    ) async throws -> R {
        try await tokens.withRefreshLock(timeout: timeout, body)
    }
}

extension EncryptedFileTokenStore: StoredTokens {
    package var tokenStorage: any Storage { tokens.tokenStorage }
}

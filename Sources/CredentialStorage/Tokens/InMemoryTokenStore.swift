/// A token store that lives in this process's memory and ends with it.
///
/// It starts empty. Copies share the token. It is never chosen for you.
public struct InMemoryTokenStore: AtomicTokenStore {
    private let tokens = StorageTokenStore(StorageBuilder.InMemory().build())

    /// Makes an empty store.
    public init() {}

    /// Reads the token.
    public func load() throws(StorageError) -> SDKInstallToken? { try tokens.load() }

    /// Stores a token in place of an earlier one.
    public func save(_ token: SDKInstallToken) throws(StorageError) { try tokens.save(token) }

    /// Removes the token.
    public func clear() throws(StorageError) { try tokens.clear() }

    /// Changes the token only if it still is the expected one.
    public func replace(_ expected: SDKInstallToken?, with new: SDKInstallToken?) throws(StorageError) -> Bool {
        try tokens.replace(expected, with: new)
    }

    /// Runs a body while nobody else in this process runs one under this store's lock.
    nonisolated(nonsending) public func withRefreshLock<R>(
        timeout: Duration,
        _ body: () async throws -> R
    ) async throws -> R {
        try await tokens.withRefreshLock(timeout: timeout, body)
    }
}

extension InMemoryTokenStore: StoredTokens {
    package var tokenStorage: any Storage { tokens.tokenStorage }
}

internal import CredentialStorage

/// The token store as the keeper uses it: off the caller's thread, and with every failure an ``SDKError``.
struct TokenPlace: Sendable {
    /// How long to wait for another process that enrols, whose own request has a shorter deadline.
    static let lockTimeout = Duration.seconds(150)

    let store: any TokenStore
    private let atomic: (any AtomicTokenStore)?

    init(_ store: any TokenStore) {
        self.store = store
        atomic = store as? any AtomicTokenStore
    }

    /// How far the promise of one enrolment reaches.
    var coordination: Coordination { atomic == nil || store.backend == .memory ? .process : .machine }

    var isAtomic: Bool { atomic != nil }

    func load() async -> Result<SDKInstallToken?, SDKError> {
        await attempt(.read) { [store] in try store.load() }
    }

    /// Puts a token where the expected one is; `false` where another one is there.
    func save(_ new: SDKInstallToken, over expected: SDKInstallToken?) async -> Result<Bool, SDKError> {
        await attempt(.write) { [store, atomic] in
            if let atomic { return try atomic.replace(expected, with: new) }
            // Not safe against another process, and the client says so; but what can be seen is respected.
            guard try store.load() == expected else { return false }
            try store.save(new)
            return true
        }
    }

    /// Runs a body while nobody else changes the token, as far as the store can keep others away.
    func exclusively(
        _ body: @Sendable () async -> Result<SDKInstallToken, SDKError>
    ) async -> Result<SDKInstallToken, SDKError> {
        guard let atomic else { return await body() }
        do {
            return try await atomic.withRefreshLock(timeout: Self.lockTimeout) { await body() }
        } catch {
            return .failure(.storage(StorageError.carrying(error, during: .read)))
        }
    }

    private func attempt<R: Sendable>(
        _ operation: StorageOperation,
        _ body: @escaping @Sendable () throws -> R
    ) async -> Result<R, SDKError> {
        do {
            return .success(try await offload(operation, body))
        } catch {
            return .failure(
                Task.isCancelled
                    ? .transport(Phrase.cancelled) : .storage(StorageError.carrying(error, during: operation)))
        }
    }
}

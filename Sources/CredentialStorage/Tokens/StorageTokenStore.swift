internal import FoundationEssentials

/// Keeps an installation token as one entry of a store.
///
/// ```swift
/// let tokens = StorageTokenStore(storage)
/// ```
///
/// The entry is a JSON object. Members that this version does not know stay where they are when the token changes,
/// and over an atomic store a concurrent change of them is not lost. An entry of a later format throws
/// ``UndecryptableReason/formatTooNew`` and is never overwritten; ``clear()`` removes it. An entry that is no token
/// throws ``UndecryptableReason/damaged`` when it is read, and ``save(_:)`` replaces it.
///
/// Every error is a ``StorageError``. Thread-safe if the store is. For an `any Storage` or an
/// `any AtomicStorage`, whose type is not known, there is `StorageBuilder.tokenStore(over:key:)`.
public struct StorageTokenStore<Base: Storage>: TokenStore {
    let storage: Base
    let key: String
    /// The same store, if it is atomic.
    private let atomic: (any AtomicStorage)?

    /// How often a change that others get in the way of is tried again.
    private static var attempts: Int { 256 }

    /// Keeps the token in a store.
    ///
    /// - Parameters:
    ///   - storage: The store.
    ///   - key: The name of the entry.
    public init(_ storage: Base, key: String = "install-token") {
        self.storage = storage
        self.key = key
        atomic = storage as? any AtomicStorage
    }

    /// Reads the token.
    ///
    /// - Returns: The token, or `nil` when the entry is proven absent.
    /// - Throws: ``StorageError/readError(cause:)``.
    public func load() throws(StorageError) -> SDKInstallToken? {
        let record = try StorageError.during(.read) {
            try storage.withSecret(forKey: key) { TokenRecord(reading: $0) }
        }
        return try performing(.read) { () throws(StorageFault) in try record.token() }
    }

    /// Stores a token in place of an earlier one.
    ///
    /// - Parameter token: The token.
    /// - Throws: ``StorageError/writeError(cause:)``; ``StorageError/unsupported`` inside it for a date that is not
    ///   finite, ``StorageError/conflict`` when others kept changing the entry.
    public func save(_ token: SDKInstallToken) throws(StorageError) {
        for attempt in 1...Self.attempts {
            let (present, isReadable) = try presentForReplacing()
            let record = TokenRecord(reading: present)
            let bytes = try performing(.write) { () throws(StorageFault) in try record.replaced(by: token) }
            guard let atomic, isReadable else {
                return try StorageError.during(.write) { try storage.set(bytes, forKey: key) }
            }
            let isDone = try StorageError.during(.write) {
                try atomic.compareAndSet(key, expected: present, new: bytes)
            }
            if isDone { return }
            Self.giveWay(attempt)
        }
        throw StorageFault.conflict.during(.write)
    }

    /// Removes the token, of whatever format it is.
    ///
    /// - Throws: ``StorageError/deleteError(cause:)``.
    public func clear() throws(StorageError) {
        try StorageError.during(.delete) { _ = try storage.delete(key) }
    }

    /// The bytes that stand there, and whether they could be read.
    ///
    /// Bytes that nothing can bring back count as none; whatever else cannot be read is not overwritten.
    private func presentForReplacing() throws(StorageError) -> (Data?, isReadable: Bool) {
        do throws(StorageError) {
            return (try StorageError.during(.write) { try storage.get(key) }, true)
        } catch {
            switch error.cause {
            case .undecryptable(.damaged), .undecryptable(.keyLost): return (nil, false)
            default: throw error
            }
        }
    }

    /// After a few tries in a row, lets the others finish.
    private static func giveWay(_ attempt: Int) {
        if attempt > 4 { pause(for: .microseconds(min(attempt, 20) * Int.random(in: 10...50))) }
    }
}

extension StorageTokenStore: AtomicTokenStore where Base: AtomicStorage {
    /// Changes the token only if it still is the expected one.
    ///
    /// What counts is the token, not the bytes of its entry: others may have changed members that this version does
    /// not know.
    ///
    /// - Parameters:
    ///   - expected: The token that must be there now; `nil` for an absent entry.
    ///   - new: The token to put there; `nil` to remove the entry.
    /// - Returns: `false` when another token was there, or none; nothing changed then.
    /// - Throws: ``StorageError/writeError(cause:)``, also when the present entry is no token of this format.
    public func replace(_ expected: SDKInstallToken?, with new: SDKInstallToken?) throws(StorageError) -> Bool {
        for attempt in 1...Self.attempts {
            let present = try StorageError.during(.write) { try storage.get(key) }
            let record = TokenRecord(reading: present)
            let (isExpected, bytes) = try performing(.write) { () throws(StorageFault) -> (Bool, Data?) in
                let bytes = try new.map { (token) throws(StorageFault) in try record.replaced(by: token) }
                return (try record.token() == expected, bytes)
            }
            guard isExpected else { return false }
            let isDone = try StorageError.during(.write) {
                try storage.compareAndSet(key, expected: present, new: bytes)
            }
            if isDone { return true }
            Self.giveWay(attempt)
        }
        throw StorageFault.conflict.during(.write)
    }

    /// Runs a body while nobody else runs one under the lock that is named like the entry.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for another holder; waiting does not block the caller's thread.
    ///   - body: What to do meanwhile; it runs where the caller runs.
    /// - Returns: What the body returned.
    /// - Throws: ``StorageError/readError(cause:)`` with ``UnavailableCategory/lockTimedOut`` when the time is over, or
    ///   what the body threw.
    nonisolated(nonsending) public func withRefreshLock<R>(
        timeout: Duration,
        _ body: () async throws -> R
    ) async throws -> R {
        let lock: StorageLock
        do {
            lock = try await storage.acquireLock(key, timeout: timeout)
        } catch {
            throw StorageError.carrying(error, during: .read)
        }
        defer { lock.release() }
        return try await body()
    }
}

extension StorageTokenStore: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "StorageTokenStore(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

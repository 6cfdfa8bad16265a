public import CredentialStorage
public import FoundationEssentials

/// A wrapper that sees every call of its base; the base of doubles, also of your own.
///
/// Conform with a `base` and ``intercept(_:_:)``; all members of ``Storage`` come with that. For the stronger
/// protocols declare the conformance where the base has it, and nothing else:
///
/// ```swift
/// extension MyDouble: AtomicStorage where Base: AtomicStorage {}
/// extension MyDouble: TransactionalStorage where Base: TransactionalStorage {}
/// extension MyDouble: InspectableStorage where Base: InspectableStorage {}
/// ```
public protocol InterceptingStorage<Base>: Storage {
    /// The store that does the work.
    associatedtype Base: Storage

    /// The store that does the work.
    var base: Base { get }

    /// Stands between the caller and the base.
    ///
    /// - Parameters:
    ///   - call: What was called.
    ///   - body: Runs it on the base.
    /// - Returns: What the caller gets.
    /// - Throws: What the caller gets.
    func intercept<R>(_ call: StorageCall, _ body: () throws -> R) throws -> R
}

extension InterceptingStorage {
    /// Reads one entry of the base.
    public func get(_ key: String) throws -> Data? {
        try intercept(StorageCall(.get, key)) { try base.get(key) }
    }

    /// Inserts or replaces one entry of the base.
    public func set(_ value: Data, forKey key: String) throws {
        try intercept(StorageCall(.set, key)) { try base.set(value, forKey: key) }
    }

    /// Removes one entry of the base.
    @discardableResult
    public func delete(_ key: String) throws -> Bool {
        try intercept(StorageCall(.delete, key)) { try base.delete(key) }
    }

    /// Reads everything in the base.
    public func readAll() throws -> BulkRead {
        try intercept(StorageCall(.readAll)) { try base.readAll() }
    }

    /// Lists the names of the base.
    public func keys() throws -> [String] {
        try intercept(StorageCall(.keys)) { try base.keys() }
    }

    /// Reads one entry of the base into locked memory.
    public func withSecret<R>(forKey key: String, _ body: (Span<UInt8>?) throws -> R) throws -> R {
        try intercept(StorageCall(.withSecret, key)) { try base.withSecret(forKey: key, body) }
    }

    /// Inserts or replaces one entry of the base from a span.
    public func setSecret(_ bytes: Span<UInt8>, forKey key: String) throws {
        try intercept(StorageCall(.setSecret, key)) { try base.setSecret(bytes, forKey: key) }
    }

    /// Removes every entry of the base.
    public func deleteAll() throws {
        try intercept(StorageCall(.deleteAll)) { try base.deleteAll() }
    }

    /// The log of the base.
    public var log: StorageLog { base.log }
}

extension InterceptingStorage where Base: AtomicStorage {
    /// Changes one entry of the base only if it still has the expected value.
    public func compareAndSet(_ key: String, expected: Data?, new: Data?) throws -> Bool {
        try intercept(StorageCall(.compareAndSet, key)) {
            try base.compareAndSet(key, expected: expected, new: new)
        }
    }

    /// Takes a lock of the base.
    public func acquireLock(_ name: String, timeout: Duration) throws -> StorageLock {
        try intercept(StorageCall(.acquireLock, name)) { try base.acquireLock(name, timeout: timeout) }
    }
}

extension InterceptingStorage where Base: TransactionalStorage {
    /// Changes several entries of the base.
    public func update(_ body: (inout StorageBatch) throws -> Void) throws {
        try intercept(StorageCall(.update)) { try base.update(body) }
    }
}

extension InterceptingStorage where Base: InspectableStorage {
    /// The kind of the base.
    public var backend: StorageBackend { base.backend }

    /// The protection of the base.
    public var protection: Protection { get throws { try base.protection } }

    /// What the base tells about itself.
    public func probe() -> StorageProbe { base.probe() }

    /// Waits for the base.
    public func waitUntilAvailable() async throws { try await base.waitUntilAvailable() }

    /// Closes the base.
    public func close() { base.close() }
}

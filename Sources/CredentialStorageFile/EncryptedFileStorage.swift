public import CredentialStorage
internal import CredentialStorageSealing
public import FoundationEssentials

/// A store in an encrypted file: confidential, authentic, durable, and shared between processes.
///
/// When a write returns, it survives a power cut. A read sees what any process wrote before it. A damaged entry does not
/// hide the others. The file leaks the number of entries, their padded sizes and the order of writes.
///
/// Thread-safe. A read costs a look at a small companion file and one decryption; a write costs one sync of the disk, which
/// threads that write at the same time share. Made by ``StorageBuilder/EncryptedFile``.
public final class EncryptedFileStorage: TransactionalStorage, InspectableStorage {
    let engine: VaultEngine
    private var options: VaultEngine.Options { engine.options }

    init(_ options: StorageBuilder.EncryptedFile.Options) { engine = VaultEngine(options) }

    /// Where this store reports omissions and warnings.
    public var log: StorageLog { options.log }

    /// Reads one entry.
    public func get(_ key: String) throws(StorageError) -> Data? {
        try performing(.read) { () throws(StorageFault) in
            let key = try EntryKey(checking: key)
            return try engine.read { (session) throws(StorageFault) -> Data? in
                guard let entry = try session?.read(key) else { return nil }
                return try entry.copiedValue()
            }
        }
    }

    /// Reads one entry into locked memory that is wiped when the body returns.
    public func withSecret<R>(forKey key: String, _ body: (Span<UInt8>?) throws -> R) throws -> R {
        let entry = try performing(.read) { () throws(StorageFault) -> OpenedEntry? in
            let key = try EntryKey(checking: key)
            return try engine.read { (session) throws(StorageFault) -> OpenedEntry? in
                guard let session else { return nil }
                return try session.read(key)
            }
        }
        guard let entry else { return try body(nil) }
        return try entry.withValue { try body($0) }
    }

    /// Inserts or replaces one entry.
    public func set(_ value: Data, forKey key: String) throws(StorageError) {
        try setSecret(value.span, forKey: key)
    }

    /// Inserts or replaces one entry.
    public func setSecret(_ bytes: Span<UInt8>, forKey key: String) throws(StorageError) {
        try performing(.write) { () throws(StorageFault) in
            let key = try EntryKey(checking: key)
            _ = try engine.write(.set(key, plaintext(key, bytes)))
        }
    }

    /// Removes one entry.
    ///
    /// It works in a file whose mode is too open, which reading does not.
    @discardableResult
    public func delete(_ key: String) throws(StorageError) -> Bool {
        try performing(.delete) { () throws(StorageFault) in
            let key = try EntryKey(checking: key)
            return try engine.write(.delete(key))
        }
    }

    /// Removes every entry.
    public func deleteAll() throws(StorageError) {
        try performing(.delete) { () throws(StorageFault) in
            // One commit holds a limited number of removals; a huge store takes several.
            while try engine.write(.deleteAll) {}
        }
    }

    /// Reads everything, as of one moment.
    public func readAll() throws(StorageError) -> BulkRead {
        try performing(.read) { () throws(StorageFault) in
            try engine.read { (session) throws(StorageFault) -> BulkRead in
                try session?.readAll() ?? BulkRead(entries: [])
            }
        }
    }

    /// Lists the names, those of damaged entries included.
    public func keys() throws(StorageError) -> [String] {
        try performing(.read) { () throws(StorageFault) in
            try engine.read { (session) throws(StorageFault) -> [String] in
                guard let session else { return [] }
                guard session.table.lost == 0 else { throw .undecryptable(.damaged) }
                try session.checkMemoryForAll()
                var names: [EntryKey] = []
                var budget = MemoryBudget()
                for (hash, slot) in session.table.present {
                    try budget.spend(2 * min(slot.bodyLength, EntryKey.maximumLength))
                    guard let name = try session.name(of: slot, hash) else { throw .undecryptable(.damaged) }
                    names.append(name)
                }
                return names.sorted().map(\.name)
            }
        }
    }

    /// Changes one entry only if it still has the expected value, among all processes.
    public func compareAndSet(_ key: String, expected: Data?, new: Data?) throws(StorageError) -> Bool {
        try performing(.write) { () throws(StorageFault) in
            let key = try EntryKey(checking: key)
            var sealedNew: Plaintext?
            if let new { sealedNew = try plaintext(key, new.span) }
            let expected = try expected.map { (value) throws(StorageFault) in
                SharedSecret(try SecureBuffer(copying: value.span, in: engine.arena))
            }
            let request = WriteRequest.compareAndSet(key, expected: expected, new: sealedNew)
            if expected == nil, new == nil {
                return try engine.read { (session) throws(StorageFault) in try session?.read(key) == nil }
            }
            return try engine.write(request)
        }
    }

    /// Takes a named lock that excludes every other holder on this machine.
    public func acquireLock(_ name: String, timeout: Duration) throws(StorageError) -> StorageLock {
        try performing(.read) { () throws(StorageFault) in
            let name = try EntryKey(checking: name)
            return try engine.acquireLock(name, timeout: timeout)
        }
    }

    /// Changes several entries under one sync: all of them, or none.
    ///
    /// One batch holds at most 65 536 changes, more is ``StorageError/unsupported``; and 64 MiB with the padding, more is
    /// ``StorageError/valueTooLarge(limit:)`` with that limit. Nothing changed then.
    public func update(_ body: (inout StorageBatch) throws -> Void) throws {
        var thrown: (any Error)?
        try performing(.write) { () throws(StorageFault) in
            try engine.update(plaintext: plaintext) { batch in
                do { try body(&batch) } catch {
                    thrown = error
                    return false
                }
                return true
            }
        }
        if let thrown { throw thrown }
    }

    /// The kind of this store.
    public var backend: StorageBackend { .file }

    /// Wipes the keys.
    ///
    /// Every later call throws ``UnavailableCategory/closed``.
    public func close() { engine.close() }

    private func plaintext(_ key: EntryKey, _ value: Span<UInt8>) throws(StorageFault) -> Plaintext {
        guard value.count <= options.valueLimit else { throw .cause(.valueTooLarge(limit: options.valueLimit)) }
        return try Plaintext(name: key, value: value, arena: engine.arena)
    }
}

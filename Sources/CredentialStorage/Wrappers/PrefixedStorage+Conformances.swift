public import FoundationEssentials

extension PrefixedStorage: AtomicStorage where Base: AtomicStorage {
    /// Changes one entry only if it still has the expected value.
    public func compareAndSet(_ key: String, expected: Data?, new: Data?) throws(StorageError) -> Bool {
        let name = try prefix.joined(key, for: .write)
        return try StorageError.during(.write) { try base.compareAndSet(name, expected: expected, new: new) }
    }

    /// Takes a named lock that holders of the same name under other prefixes do not see.
    public func acquireLock(_ name: String, timeout: Duration) throws(StorageError) -> StorageLock {
        let name = try prefix.joined(name, for: .read)
        return try StorageError.during(.read) { try base.acquireLock(name, timeout: timeout) }
    }
}

extension PrefixedStorage: TransactionalStorage where Base: TransactionalStorage {
    /// Changes several entries under the prefix: all of them, or none.
    public func update(_ body: (inout StorageBatch) throws -> Void) throws {
        try prefix.check(for: .write)
        var thrownByBody: (any Error)?
        do {
            try base.update { batch in
                let before = batch
                var part = StorageBatch { key in try before.get(prefix.joined(key.name, for: .read)) }
                do {
                    try body(&part)
                } catch {
                    thrownByBody = error
                    throw error
                }
                for change in part.changes {
                    let name = try prefix.joined(change.key.name, for: .write)
                    if let value = change.value {
                        try batch.set(value, forKey: name)
                    } else {
                        try batch.delete(name)
                    }
                }
            }
        } catch {
            throw thrownByBody ?? StorageError.carrying(error, during: .write)
        }
    }
}

extension PrefixedStorage: InspectableStorage where Base: InspectableStorage {
    /// The kind of the base.
    public var backend: StorageBackend { base.backend }

    /// The protection of the base.
    public var protection: Protection {
        get throws(StorageError) { try StorageError.during(.read) { try base.protection } }
    }

    /// What could be learnt about the base; not usable when the prefix is not valid.
    public func probe() -> StorageProbe {
        var probe = base.probe()
        do {
            try prefix.check(for: .read)
        } catch {
            probe.isReadable = false
            probe.isWritable = false
            probe.reason = error
        }
        return probe
    }

    /// Returns when a lock that makes the base unavailable has ended.
    public func waitUntilAvailable() async throws(StorageError) {
        do {
            try await base.waitUntilAvailable()
        } catch {
            throw StorageError.carrying(error, during: .read)
        }
    }

    /// Closes the base, and with it every other part of it.
    public func close() { base.close() }
}

extension PrefixedStorage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "PrefixedStorage(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

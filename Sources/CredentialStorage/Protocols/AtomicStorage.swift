public import FoundationEssentials

/// A store that several tasks and processes can change without losing each other's work.
public protocol AtomicStorage: Storage {
    /// Changes one entry only if it still has the expected value.
    ///
    /// - Parameters:
    ///   - key: The name.
    ///   - expected: The value that must be there now; `nil` for an absent entry.
    ///   - new: The value to put there; `nil` to remove the entry.
    /// - Returns: `false` when something else was there; nothing changed then.
    /// - Throws: ``StorageError/writeError(cause:)``, also when the present value cannot be read.
    func compareAndSet(_ key: String, expected: Data?, new: Data?) throws -> Bool

    /// Takes a named lock that excludes every other holder of the same name in this store.
    ///
    /// Whatever fails here fails as a read, because no entry changes.
    ///
    /// - Parameters:
    ///   - name: The name of the lock. It follows the rules of entry names and shares nothing with entries.
    ///   - timeout: How long to wait for another holder.
    /// - Returns: The held lock. It is freed by ``StorageLock/release()``, when the object goes away, and by the
    ///   end of the process, however it ends.
    /// - Throws: ``StorageError/readError(cause:)`` with ``UnavailableCategory/lockTimedOut`` when the time is over, and
    ///   with ``StorageError/invalidEntryKey`` for a name that is not valid.
    func acquireLock(_ name: String, timeout: Duration) throws -> StorageLock
}

extension AtomicStorage {
    /// Runs a body while a named lock is held.
    ///
    /// - Parameters:
    ///   - name: The name of the lock.
    ///   - timeout: How long to wait for another holder.
    ///   - body: What to do meanwhile.
    /// - Returns: What the body returned.
    /// - Throws: What ``acquireLock(_:timeout:)`` or the body threw.
    public func withLock<R>(_ name: String, timeout: Duration, _ body: () throws -> R) throws -> R {
        let lock = try acquireLock(name, timeout: timeout)
        defer { lock.release() }
        return try body()
    }
}

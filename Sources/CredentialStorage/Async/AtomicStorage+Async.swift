public import FoundationEssentials

extension AtomicStorage {
    /// Changes one entry only if it still has the expected value, without blocking the caller's thread.
    ///
    /// - Parameters:
    ///   - key: The name.
    ///   - expected: The value that must be there now; `nil` for an absent entry.
    ///   - new: The value to put there; `nil` to remove the entry.
    /// - Returns: `false` when something else was there.
    /// - Throws: ``StorageError/writeError(cause:)``, also when the task is cancelled before the change began.
    public func compareAndSet(_ key: String, expected: Data?, new: Data?) async throws -> Bool {
        try await offload(.write) { try self.compareAndSet(key, expected: expected, new: new) }
    }

    /// Takes a named lock without blocking any thread while it waits.
    ///
    /// - Parameters:
    ///   - name: The name of the lock.
    ///   - timeout: How long to wait for another holder.
    /// - Returns: The held lock.
    /// - Throws: ``StorageError/readError(cause:)``, also when the task is cancelled while it waits.
    public func acquireLock(_ name: String, timeout: Duration) async throws -> StorageLock {
        // A thread for each waiter would be a thread for nothing, so each try is short and the task sleeps between.
        let deadline = ContinuousClock.now + timeout
        var nap = Duration.milliseconds(1)
        while true {
            do {
                return try await offload(.read) { try self.acquireLock(name, timeout: .zero) }
            } catch let error as StorageError where error.category == .lockTimedOut {
                let left = deadline - .now
                guard left > .zero else { throw error }
                do { try await Task.sleep(for: min(nap, left)) } catch {
                    throw StorageFault.unavailable(.cancelled).during(.read)
                }
                nap = min(nap * 2, .milliseconds(10))
            }
        }
    }

    /// Runs an async body while a named lock is held.
    ///
    /// - Parameters:
    ///   - name: The name of the lock.
    ///   - timeout: How long to wait for another holder.
    ///   - body: What to do meanwhile; it runs where the caller runs.
    /// - Returns: What the body returned.
    /// - Throws: What ``acquireLock(_:timeout:)-async`` or the body threw.
    nonisolated(nonsending) public func withLock<R>(
        _ name: String,
        timeout: Duration,
        _ body: () async throws -> R
    ) async throws -> R {
        let lock = try await acquireLock(name, timeout: timeout)
        defer { lock.release() }
        return try await body()
    }

    /// Runs a synchronous body while a named lock is held, waiting for the lock without blocking the caller's thread.
    ///
    /// - Parameters:
    ///   - name: The name of the lock.
    ///   - timeout: How long to wait for another holder.
    ///   - body: What to do meanwhile; it runs where the caller runs.
    /// - Returns: What the body returned.
    /// - Throws: What ``acquireLock(_:timeout:)-async`` or the body threw.
    nonisolated(nonsending) public func withLock<R>(
        _ name: String,
        timeout: Duration,
        _ body: () throws -> R
    ) async throws -> R {
        let lock = try await acquireLock(name, timeout: timeout)
        defer { lock.release() }
        return try body()
    }
}

extension TransactionalStorage {
    /// Changes several entries, all of them or none, without blocking the caller's thread.
    ///
    /// - Parameter body: Reads and changes through the batch, on another thread. When it throws, nothing changes.
    /// - Throws: ``StorageError/writeError(cause:)``, also when the task is cancelled before the change began, or
    ///   what the body threw.
    public func update(_ body: @escaping @Sendable (inout StorageBatch) throws -> Void) async throws {
        try await offload(.write) { try self.update(body) }
    }
}

public import FoundationEssentials

extension ObservedStorage: AtomicStorage where Base: AtomicStorage {
    /// Changes one entry only if it still has the expected value.
    public func compareAndSet(_ key: String, expected: Data?, new: Data?) throws(StorageError) -> Bool {
        try observing(.compareAndSet, key, .write, outcome: { $0 ? .done : .mismatch }) {
            try base.compareAndSet(key, expected: expected, new: new)
        }
    }

    /// Takes a named lock.
    public func acquireLock(_ name: String, timeout: Duration) throws(StorageError) -> StorageLock {
        try observing(.acquireLock, name, .read) { try base.acquireLock(name, timeout: timeout) }
    }
}

extension ObservedStorage: TransactionalStorage where Base: TransactionalStorage {
    /// Changes several entries: all of them, or none.
    public func update(_ body: (inout StorageBatch) throws -> Void) throws {
        var meter = Meter(.update, nil, .write)
        let result = Result {
            try base.update { batch in try meter.leavingOut { try body(&batch) } }
        }
        observer(meter.observation(of: result))
        try meter.returning(result)
    }
}

extension ObservedStorage: InspectableStorage where Base: InspectableStorage {
    /// The kind of the base.
    public var backend: StorageBackend { base.backend }

    /// The protection of the base.
    public var protection: Protection {
        get throws(StorageError) { try observing(.protection, nil, .read) { try base.protection } }
    }

    /// What could be learnt about the base.
    public func probe() -> StorageProbe {
        var meter = Meter(.probe, nil, .read)
        let probe = base.probe()
        if let reason = probe.reason { meter.outcome = .failed(reason) }
        observer(meter.observation(of: .success(probe)))
        return probe
    }

    /// Returns when a lock that makes the base unavailable has ended.
    public func waitUntilAvailable() async throws(StorageError) {
        let meter = Meter(.waitUntilAvailable, nil, .read)
        let result: Result<Void, any Error>
        do {
            result = .success(try await base.waitUntilAvailable())
        } catch {
            result = .failure(error)
        }
        observer(meter.observation(of: result))
        if case .failure(let error) = result { throw StorageError.carrying(error, during: .read) }
    }

    /// Closes the base.
    public func close() {
        let meter = Meter(.close, nil, .write)
        base.close()
        observer(meter.observation(of: .success(())))
    }
}

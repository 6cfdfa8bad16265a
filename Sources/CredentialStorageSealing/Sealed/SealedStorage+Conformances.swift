public import CredentialStorage
public import FoundationEssentials

extension SealedStorage: AtomicStorage where Base: AtomicStorage {
    /// Changes one entry only if it still has the expected value.
    ///
    /// Values are compared as they were before sealing.
    public func compareAndSet(_ key: String, expected: Data?, new: Data?) throws(StorageError) -> Bool {
        try performing(.write) { sealer in
            let key = try EntryKey(checking: key)
            let record = try new.map { try seal($0.span, as: key, sealer) }
            if sealer.hasSeveralPlaces, base is any TransactionalStorage {
                return try moving { read in
                    let found = try find(key, sealer, read)
                    guard try matches(found, expected, key, sealer) else { return ([], false) }
                    return (found == nil && record == nil ? [] : sealer.changes(to: record, of: key), true)
                }
            }
            let lock = sealer.hasSeveralPlaces ? try lockForMoving() : nil
            defer { lock?.release() }
            // Each round means that somebody else sealed the same value anew between two calls.
            for _ in 0..<100 {
                let found = try find(key, sealer, base.get)
                guard try matches(found, expected, key, sealer) else { return false }
                if try replace(found, with: record, sealer.places(of: key)) { return true }
            }
            throw StorageFault.conflict
        }
    }

    /// Takes a named lock of the base, under the name as it is.
    ///
    /// The base must not show names of locks; those of this package do not.
    public func acquireLock(_ name: String, timeout: Duration) throws(StorageError) -> StorageLock {
        try performing(.read) { _ in try base.acquireLock(name, timeout: timeout) }
    }

    /// Puts a record at the first of the places, if what was found still stands, and clears the others.
    private func replace(
        _ found: (place: String, record: Data)?,
        with record: Data?,
        _ places: [String]
    ) throws -> Bool {
        let isCurrent = found?.place == places[0]
        // Beside a current record the others are old; a crash must not leave them alone.
        if isCurrent { for place in places.dropFirst() { try base.delete(place) } }
        let present = isCurrent ? found?.record : nil
        guard try base.compareAndSet(places[0], expected: present, new: record) else { return false }
        if !isCurrent { for place in places.dropFirst() { try base.delete(place) } }
        return true
    }

    private func matches(
        _ found: (place: String, record: Data)?,
        _ expected: Data?,
        _ key: EntryKey,
        _ sealer: Sealer
    ) throws(StorageFault) -> Bool {
        guard let found else { return expected == nil }
        let content = try sealer.open(found.record, at: found.place, as: key)
        guard let expected else { return false }
        return content.withBytes { isEqualInConstantTime($0, expected.span) }
    }
}

extension SealedStorage: TransactionalStorage where Base: TransactionalStorage {
    /// Changes several entries: all of them, or none.
    public func update(_ body: (inout StorageBatch) throws -> Void) throws {
        var thrownByBody: (any Error)?
        var refusal: (any Error)?
        do {
            let sealer = try sealer()
            try base.update { batch in
                let before = batch
                var part = StorageBatch { key in
                    try performing(.read) { sealer in
                        guard let found = try find(key, sealer, before.get) else { return nil }
                        return try sealer.open(found.record, at: found.place, as: key).copied()
                    }
                }
                do {
                    try body(&part)
                } catch {
                    thrownByBody = error
                    throw error
                }
                for change in part.changes {
                    do {
                        let record = try change.value.map { try seal($0.span, as: change.key, sealer) }
                        try batch.apply(sealer.changes(to: record, of: change.key))
                    } catch {
                        refusal = error
                        throw error
                    }
                }
            }
        } catch {
            throw thrownByBody ?? translated(refusal ?? error, .write)
        }
    }
}

extension SealedStorage: InspectableStorage where Base: InspectableStorage {
    /// The kind of the base.
    public var backend: StorageBackend { base.backend }

    /// The protection of the base; sealing adds the keys that this store was given, and those count for the memory.
    public var protection: Protection {
        get throws(StorageError) {
            try performing(.read) { sealer in
                var protection = try base.protection
                if protection.memory == .locked, !sealer.keys.areLocked { protection.memory = .partlyLocked }
                return protection
            }
        }
    }

    /// What could be learnt about the base; whether entries open under the keys is not tried.
    public func probe() -> StorageProbe { base.probe() }

    /// Returns when a lock that makes the base unavailable has ended.
    public func waitUntilAvailable() async throws(StorageError) {
        do {
            try await base.waitUntilAvailable()
        } catch {
            throw StorageError.carrying(error, during: .read)
        }
    }

    /// Lets go of the keys and closes the base.
    ///
    /// The keys are wiped when the caller lets go of its own too.
    public func close() {
        holder.close()
        base.close()
    }
}

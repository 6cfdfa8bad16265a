public import CredentialStorage
internal import FoundationEssentials

extension SealedStorage {
    /// Reads everything.
    ///
    /// An omission has a name where that can be told: always with clear names; with sealed names where the box of the
    /// name opens. Entries under a key that is not here, and what was never sealed, have none then.
    public func readAll() throws(StorageError) -> BulkRead {
        try performing(.read) { sealer in
            let bulk = try base.readAll()
            return sealer.names == .clear ? try readClear(bulk, sealer) : try readSealed(bulk, sealer)
        }
    }

    /// Lists the names.
    ///
    /// With sealed names it throws what keeps a name from being told, because the list would be short.
    public func keys() throws(StorageError) -> [String] {
        try performing(.read) { sealer in
            guard sealer.names == .sealed else { return try base.keys() }
            let bulk = try base.readAll()
            guard bulk.lost == 0 else { throw StorageFault.undecryptable(.damaged) }
            if let omission = bulk.omitted.first { throw StorageFault.undecryptable(omission.reason) }
            var names: Set<EntryKey> = []
            for entry in bulk.entries {
                switch try name(of: entry, sealer) {
                case .success(let (name, _)): names.insert(name)
                case .failure(let fault): throw fault
                }
            }
            return names.sorted().map(\.name)
        }
    }

    private func readClear(_ bulk: BulkRead, _ sealer: Sealer) throws -> BulkRead {
        var entries: [Entry] = []
        var omitted = bulk.omitted
        var budget = MemoryBudget()
        for entry in bulk.entries {
            try budget.spend(entry.value.count + MemoryLayout<Entry>.stride)
            do throws(StorageFault) {
                let name = try EntryKey(checking: entry.key)
                let value = try sealer.open(entry.value, at: entry.key, as: name).copied()
                entries.append(Entry(key: entry.key, value: value))
            } catch {
                guard let reason = error.reason else { throw error }
                omitted.append(OmittedEntry(key: entry.key, reason: reason))
            }
        }
        return BulkRead(entries: entries, omitted: omitted, lost: bulk.lost)
    }

    private func readSealed(_ bulk: BulkRead, _ sealer: Sealer) throws -> BulkRead {
        let current = sealer.keys.current.id
        // What the base calls an entry says nothing to anybody.
        var omitted = bulk.omitted.map { OmittedEntry(key: nil, reason: $0.reason) }
        var found: [EntryKey: (isCurrent: Bool, value: Result<Data, StorageFault>)] = [:]
        var budget = MemoryBudget()
        for entry in bulk.entries {
            try budget.spend(entry.value.count + MemoryLayout<Entry>.stride)
            switch try name(of: entry, sealer) {
            case .failure(let fault):
                guard let reason = fault.reason else { throw fault }
                omitted.append(OmittedEntry(key: nil, reason: reason))
            case .success(let (name, keyID)):
                // A crash between two changes may have left an older value at the place of another key.
                if let other = found[name], other.isCurrent || keyID != current { continue }
                let value = Result { () throws(StorageFault) in
                    try sealer.open(entry.value, at: entry.key, as: name).copied()
                }
                found[name] = (keyID == current, value)
            }
        }
        var entries: [Entry] = []
        for (name, (_, value)) in found {
            switch value {
            case .success(let value): entries.append(Entry(key: name.name, value: value))
            case .failure(let fault):
                guard let reason = fault.reason else { throw fault }
                omitted.append(OmittedEntry(key: name.name, reason: reason))
            }
        }
        return BulkRead(entries: entries, omitted: omitted, lost: bulk.lost)
    }

    /// The name that is sealed in an entry of the base, or why it cannot be told.
    private func name(
        of entry: Entry,
        _ sealer: Sealer
    ) throws(StorageFault) -> Result<(EntryKey, SealingKey.ID), StorageFault> {
        guard let place = SealedPlace(entry.key) else { return .failure(.undecryptable(.damaged)) }
        if let name = try sealer.name(in: entry.value, at: place) { return .success((name, place.keyID)) }
        guard sealer.keys.key(place.keyID) != nil else {
            return .failure(.undecryptable(sealer.keys.reason(without: place.keyID)))
        }
        return .failure(.undecryptable(sealer.trouble(with: entry.value, at: entry.key) ?? .damaged))
    }
}

public import CredentialStorage
public import FoundationEssentials

/// A store that seals names and values before another store keeps them, under a key of the app or of a group.
///
/// ```swift
/// let key = try SealingKey(bytes)                                   // 32 random bytes
/// let storage = collection.sealed(with: SealingKeys(key))           // names and values
/// let values = collection.sealed(with: SealingKeys(key)).names(.clear)
/// ```
///
/// A value that was changed, moved to another name or sealed by somebody else does not open: ``get(_:)`` throws,
/// ``readAll()`` leaves it out and lists it. A value that was not sealed at all is never handed out. An older value put
/// back under its own name is not noticed, nor is a removal.
///
/// With sealed names a miss costs a list of the base's names: while there are entries under a key that is not here,
/// nothing is *proven* absent, and the miss throws. Everything in the base belongs to this store, also what it cannot
/// open; ``deleteAll()`` removes it. Where a base is shared, give the store a part of its own with `prefixed(_:)`.
///
/// The base sees the number of entries, their padded sizes, and which of them change. It is atomic, transactional and
/// inspectable exactly where its base is. For an `any Storage` there is
/// ``StorageBuilder/sealed(over:with:names:valueLimit:)``.
public struct SealedStorage<Base: Storage>: Storage {
    let base: Base
    let holder: SealingKeyHolder
    var mode = SealedNames.sealed
    var limit = 1 << 20
    var randomness: any Randomness = SystemRandomness()

    init(_ base: Base, keys: SealingKeys) {
        self.base = base
        holder = SealingKeyHolder(keys)
    }

    /// What becomes of the names in the base; they are sealed unless this says otherwise.
    ///
    /// One base holds one kind: entries of the other kind do not open.
    ///
    /// - Parameter mode: Sealed or clear.
    /// - Returns: The same store with this option.
    public func names(_ mode: SealedNames) -> SealedStorage { with { $0.mode = mode } }

    /// The largest value, 1 MiB unless this says otherwise, at most 16 MiB.
    ///
    /// The base's own limit counts the sealed bytes. Where it is the smaller one, ``StorageError/valueTooLarge(limit:)``
    /// tells the value that surely fits.
    ///
    /// - Parameter bytes: The limit.
    /// - Returns: The same store with this option.
    public func valueLimit(_ bytes: Int) -> SealedStorage {
        with { $0.limit = min(bytes, SealedRecord.maximumValue) }
    }

    package func randomness(_ randomness: any Randomness) -> SealedStorage { with { $0.randomness = randomness } }

    private func with(_ change: (inout SealedStorage) -> Void) -> SealedStorage {
        var copy = self
        change(&copy)
        return copy
    }

    /// Where the base reports omissions and warnings.
    public var log: StorageLog { base.log }

    /// Reads one entry.
    public func get(_ key: String) throws(StorageError) -> Data? {
        try performing(.read) { sealer in
            let key = try EntryKey(checking: key)
            guard let found = try find(key, sealer, base.get) else { return nil }
            return try sealer.open(found.record, at: found.place, as: key).copied()
        }
    }

    /// Reads one entry into locked memory that is wiped when the body returns.
    public func withSecret<R>(forKey key: String, _ body: (Span<UInt8>?) throws -> R) throws -> R {
        let content: SealedRecord.Content? = try performing(.read) { sealer in
            let key = try EntryKey(checking: key)
            guard let found = try find(key, sealer, base.get) else { return nil }
            return try sealer.open(found.record, at: found.place, as: key)
        }
        guard let content else { return try body(nil) }
        return try content.withBytes { try body($0) }
    }

    /// Inserts or replaces one entry.
    public func set(_ value: Data, forKey key: String) throws(StorageError) {
        try setSecret(value.span, forKey: key)
    }

    /// Inserts or replaces one entry; the base gets sealed bytes only.
    public func setSecret(_ bytes: Span<UInt8>, forKey key: String) throws(StorageError) {
        try performing(.write) { sealer in
            let key = try EntryKey(checking: key)
            let record = try seal(bytes, as: key, sealer)
            guard sealer.hasSeveralPlaces else { return try base.set(record, forKey: sealer.place(of: key)) }
            try moving { _ in (sealer.changes(to: record, of: key), ()) }
        }
    }

    /// Removes one entry, also one that does not open.
    @discardableResult
    public func delete(_ key: String) throws(StorageError) -> Bool {
        try performing(.delete) { sealer in
            let key = try EntryKey(checking: key)
            let wasThere: Bool
            if sealer.hasSeveralPlaces {
                wasThere = try moving { read in
                    let places = try sealer.places(of: key).filter { try isOccupied($0, read) }
                    // The current place last: what is left after a crash is then the newest value.
                    return (places.reversed().map { PlaceChange(place: $0, record: nil) }, !places.isEmpty)
                }
            } else {
                wasThere = try base.delete(sealer.place(of: key))
            }
            if !wasThere { try proveAbsence(sealer) }
            return wasThere
        }
    }

    /// Removes everything in the base, also what does not open.
    public func deleteAll() throws(StorageError) {
        try performing(.delete) { sealer in
            let lock = sealer.hasSeveralPlaces ? try lockForMoving() : nil
            defer { lock?.release() }
            try base.deleteAll()
        }
    }

    func seal(_ value: Span<UInt8>, as key: EntryKey, _ sealer: Sealer) throws(StorageFault) -> Data {
        guard value.count <= limit else { throw .cause(.valueTooLarge(limit: limit)) }
        return try sealer.seal(value, as: key)
    }

    func performing<R: ~Copyable>(
        _ operation: StorageOperation,
        _ body: (Sealer) throws -> R
    ) throws(StorageError) -> R {
        do {
            return try body(sealer())
        } catch {
            throw translated(error, operation)
        }
    }

    func sealer() throws(StorageFault) -> Sealer {
        Sealer(keys: try holder.take(), names: mode, randomness: randomness)
    }

    /// An error of this operation; a limit of the base's, which counts sealed bytes, as one for values.
    func translated(_ error: any Error, _ operation: StorageOperation) -> StorageError {
        // Ours is a fault still; an error has come out of a store.
        let isOwn = error is StorageFault
        let error = StorageError.carrying(error, during: operation)
        guard !isOwn, case .valueTooLarge(let limit) = error.cause else { return error }
        return StorageFault.cause(.valueTooLarge(limit: SealedRecord.largestValue(inRecordOf: limit, mode)))
            .during(operation)
    }
}

extension SealedStorage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "SealedStorage(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

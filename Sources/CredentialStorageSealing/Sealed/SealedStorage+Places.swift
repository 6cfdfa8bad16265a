internal import CredentialStorage
internal import FoundationEssentials

/// A new record for one place of the base, or none.
struct PlaceChange {
    let place: String
    let record: Data?
    /// Whether somebody who knows one key only may have written there meanwhile, which must not be lost.
    var mustBeAbsent = false
}

extension Sealer {
    /// What to write so that an entry stands at its current place and nowhere else.
    func changes(to record: Data?, of name: EntryKey) -> [PlaceChange] {
        let places = places(of: name)
        return [PlaceChange(place: places[0], record: record)]
            + places.dropFirst().map { PlaceChange(place: $0, record: nil) }
    }
}

extension StorageBatch {
    mutating func apply(_ changes: [PlaceChange]) throws {
        for change in changes {
            if let record = change.record {
                try set(record, forKey: change.place)
            } else {
                try delete(change.place)
            }
        }
    }
}

extension SealedStorage {
    /// Reads a place of the base.
    typealias Read = (String) throws -> Data?

    /// The record of an entry and where it stands, or `nil` when it is proven absent.
    func find(_ key: EntryKey, _ sealer: Sealer, _ read: Read) throws -> (place: String, record: Data)? {
        var places = sealer.places(of: key)
        // Somebody may move the entry to its current place between two looks, and only to there.
        if places.count > 1 { places.append(places[0]) }
        for place in places {
            if let record = try read(place) { return (place, record) }
        }
        try proveAbsence(sealer)
        return nil
    }

    /// Throws while the base holds entries whose names nobody can tell without their key.
    func proveAbsence(_ sealer: Sealer) throws {
        guard sealer.names == .sealed else { return }
        for name in try base.keys() {
            guard let place = SealedPlace(name), sealer.keys.key(place.keyID) == nil else { continue }
            throw StorageFault.undecryptable(sealer.keys.reason(without: place.keyID))
        }
    }

    /// Whether something stands at a place, readable or not.
    func isOccupied(_ place: String, _ read: Read) throws -> Bool {
        do {
            return try read(place) != nil
        } catch let error as StorageError {
            guard case .undecryptable = error.cause else { throw error }
            return true
        }
    }

    /// Changes places of the base while no other store of several places does.
    ///
    /// While two keys are in use, an entry may stand at either of two places, and each change touches both. That is one
    /// transaction where the base has them. Else a lock keeps others out, and the order of the changes is such that a
    /// crash leaves the newest value where it is found first.
    ///
    /// - Parameter body: Reads places, and gives the changes in their order and a result.
    /// - Returns: The result.
    /// - Throws: What the base or the body threw; a conflict where something stands that had to be absent.
    func moving<R>(_ body: (Read) throws -> ([PlaceChange], R)) throws -> R {
        if let base = base as? any TransactionalStorage {
            var result: R?
            try base.update { batch in
                let (changes, answer) = try body { try batch.get($0) }
                try batch.apply(changes)
                result = answer
            }
            guard let result else { throw StorageFault.unavailable(.foreign) }
            return result
        }
        let lock = try lockForMoving()
        defer { lock?.release() }
        let (changes, answer) = try body(base.get)
        for change in changes {
            if let record = change.record {
                if change.mustBeAbsent, let base = base as? any AtomicStorage {
                    let isNew = try base.compareAndSet(change.place, expected: nil, new: record)
                    guard isNew else { throw StorageFault.conflict }
                } else {
                    try base.set(record, forKey: change.place)
                }
            } else {
                try base.delete(change.place)
            }
        }
        return answer
    }

    /// `nil` where the base needs no lock, or has none.
    func lockForMoving() throws -> StorageLock? {
        guard !(base is any TransactionalStorage), let base = base as? any AtomicStorage else { return nil }
        return try base.acquireLock("swift-credential-storage sealed places", timeout: .seconds(5))
    }
}

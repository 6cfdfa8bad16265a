public import CredentialStorage
internal import FoundationEssentials

extension SealedStorage where Base: AtomicStorage {
    /// Seals what stands under one of the other keys anew, under the current key, and with it the names.
    ///
    /// It works entry by entry, beside other programs that use the same keys, and may be repeated. Entries that do not
    /// open stay as they are.
    ///
    /// - Returns: How many entries were sealed anew.
    /// - Throws: ``StorageError/writeError(cause:)`` when the base fails; what was done until then stays.
    @discardableResult
    public func reseal() throws(StorageError) -> Int {
        try performing(.write) { sealer in
            var count = 0
            for name in try base.keys() where try sealer.names == .clear ? replace(name, sealer) : move(name, sealer) {
                count += 1
            }
            return count
        }
    }

    private func replace(_ name: String, _ sealer: Sealer) throws -> Bool {
        let key = try EntryKey(checking: name)
        for _ in 0..<100 {
            guard let old = try readable(name, base.get),
                let id = sealer.keyID(of: old, at: name), id != sealer.keys.current.id,
                let new = try sealer.resealed(old, at: name, as: key)
            else { return false }
            if try base.compareAndSet(name, expected: old, new: new) { return true }
        }
        throw StorageFault.conflict
    }

    private func move(_ name: String, _ sealer: Sealer) throws -> Bool {
        guard let place = SealedPlace(name), place.keyID != sealer.keys.current.id,
            sealer.keys.key(place.keyID) != nil
        else { return false }
        for _ in 0..<100 {
            do {
                return try moving(name, at: place, sealer)
            } catch let fault as StorageFault where fault == .conflict {
                // A program that has the new key alone was faster; what it wrote counts.
                continue
            }
        }
        throw StorageFault.conflict
    }

    private func moving(_ name: String, at place: SealedPlace, _ sealer: Sealer) throws -> Bool {
        try moving { read in
            guard let old = try readable(name, read), let key = try sealer.name(in: old, at: place) else {
                return ([], false)
            }
            // What stands at the current place is newer.
            if try isOccupied(sealer.place(of: key), read) {
                return ([PlaceChange(place: name, record: nil)], false)
            }
            guard let new = try sealer.resealed(old, at: name, as: key) else { return ([], false) }
            let changes = [
                PlaceChange(place: sealer.place(of: key), record: new, mustBeAbsent: true),
                PlaceChange(place: name, record: nil),
            ]
            return (changes, true)
        }
    }

    private func readable(_ place: String, _ read: Read) throws -> Data? {
        do {
            return try read(place)
        } catch let error as StorageError {
            guard case .undecryptable = error.cause else { throw error }
            return nil
        }
    }
}

extension Sealer {
    /// The same value under the current key, or `nil` when it does not open.
    fileprivate func resealed(_ record: Data, at place: String, as name: EntryKey) throws(StorageFault) -> Data? {
        do throws(StorageFault) {
            let content = try open(record, at: place, as: name)
            return try content.withBytes { (value) throws(StorageFault) in try seal(value, as: name) }
        } catch {
            guard error.reason != nil else { throw error }
            return nil
        }
    }
}

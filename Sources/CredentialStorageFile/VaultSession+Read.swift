internal import CredentialStorage
internal import CredentialStorageSealing

extension VaultSession {
    /// Opens the box of an entry into locked memory.
    ///
    /// - Throws: `undecryptable(.damaged)` when it does not open or does not hold a name with this hash.
    func open(_ slot: EntrySlot, _ hash: Bytes16) throws(StorageFault) -> OpenedEntry {
        let entry = try openUnnamed(slot, hash)
        guard entry.withName({ keys.nameHash($0) == hash }) else { throw .undecryptable(.damaged) }
        return entry
    }

    /// The same, and the caller looks whether it holds the name that was asked for.
    private func openUnnamed(_ slot: EntrySlot, _ hash: Bytes16) throws(StorageFault) -> OpenedEntry {
        guard slot.state == .live else { throw .undecryptable(.damaged) }
        let buffer = try SecureBuffer(scratch: slot.bodyLength, in: arena)
        let target = unsafe buffer.address.assumingMemoryBound(to: UInt8.self)
        guard unsafe try openBox(slot, hash, into: target), let entry = OpenedEntry(buffer) else {
            throw .undecryptable(.damaged)
        }
        return entry
    }

    /// Opens the box of a live entry into memory that has room for it; `false` when it does not open.
    func openBox(
        _ slot: EntrySlot,
        _ hash: Bytes16,
        into target: UnsafeMutablePointer<UInt8>
    ) throws(StorageFault) -> Bool {
        // The private copy was checked when it was read; a frame that is read again must be checked again.
        let isChecked = bytes.isLoaded(slot.offset..<slot.offset + slot.frameLength)
        let count = Layout.headLength + slot.bodyLength
        return try bytes.withBytes(at: slot.offset, count: count) { frame -> Bool in
            let head = frame.extracting(0..<Layout.headLength)
            guard isChecked || keys.isAuthentic(head, logID: header.logID, offset: slot.offset) else { return false }
            return unsafe keys.open(
                frame.extracting(Layout.headLength..<count), into: target, head: head, nameHash: hash)
        }
    }

    /// The slot of an entry, or `nil` when it is proven absent.
    func find(_ hash: Bytes16) throws(StorageFault) -> EntrySlot? {
        switch table.lookUp(hash) {
        case .absent: nil
        case .unprovable: throw .undecryptable(.damaged)
        case .entry(let slot): slot
        }
    }

    /// Opens the entry of a name, or `nil` when it is proven absent.
    func read(_ key: EntryKey) throws(StorageFault) -> OpenedEntry? {
        let hash = keys.nameHash(key)
        guard let slot = try find(hash) else { return nil }
        let entry = try openUnnamed(slot, hash)
        let isAsked = entry.withName { name in
            unsafe key.withBytes { unsafe name.count == $0.count && isEqualInConstantTime(name, $0.span) }
        }
        guard isAsked else { throw .undecryptable(.damaged) }
        return entry
    }

    /// The name of an entry, also where its value no longer opens; `nil` where nothing tells it.
    func name(of slot: EntrySlot, _ hash: Bytes16) throws(StorageFault) -> EntryKey? {
        let places = [(offset: slot.offset, room: slot.frameLength), (slot.older, .max)].filter { $0.0 > 0 }
        // An intact frame, this one's or an older one's, answers without a search.
        for place in places {
            if let found = try name(at: place.offset, room: place.room, hash, .asIs) { return found }
        }
        let effort = slot.state == .live ? NameRecovery.Effort.changedName : .changedNonce
        for place in places {
            if let found = try name(at: place.offset, room: place.room, hash, effort) { return found }
        }
        return nil
    }

    func name(
        at offset: Int,
        room: Int,
        _ hash: Bytes16,
        _ effort: NameRecovery.Effort
    ) throws(StorageFault) -> EntryKey? {
        let longest = Layout.headLength + Layout.plaintextPrefix + EntryKey.maximumLength
        let count = min(longest, room, bytes.size - offset)
        guard count >= Layout.headLength + Layout.plaintextPrefix else { return nil }
        return try bytes.withBytes(at: offset, count: count) { (frame) throws(StorageFault) -> EntryKey? in
            try NameRecovery(keys: keys, hash: hash, arena: arena).name(
                nonce: frame.array(FrameHead.noncePlace), ciphertext: frame.extracting(Layout.headLength..<count),
                effort)
        }
    }
}

internal import CredentialStorage
internal import CredentialStorageSealing

extension VaultSession {
    /// Opens the box of an entry into locked memory.
    ///
    /// - Throws: `undecryptable(.damaged)` when it does not open or does not hold the name that was asked for.
    func open(_ slot: EntrySlot, _ hash: Bytes16) throws(StorageFault) -> OpenedEntry {
        guard slot.state == .live else { throw .undecryptable(.damaged) }
        let buffer = try SecureBuffer(count: slot.bodyLength, in: arena)
        let target = unsafe buffer.address.assumingMemoryBound(to: UInt8.self)
        // The private copy was checked when it was read; a frame that is read again must be checked again.
        let isChecked = bytes.isLoaded(slot.offset..<slot.offset + slot.frameLength)
        let count = Layout.headLength + slot.bodyLength
        let isOpen = try bytes.withBytes(at: slot.offset, count: count) { frame -> Bool in
            let head = frame.extracting(0..<Layout.headLength)
            guard isChecked || keys.isAuthentic(head, logID: header.logID, offset: slot.offset) else { return false }
            return unsafe keys.open(
                frame.extracting(Layout.headLength..<count), into: target, head: head, nameHash: hash)
        }
        guard isOpen, let entry = OpenedEntry(buffer) else { throw .undecryptable(.damaged) }
        let isRightName = entry.withName { keys.nameHash($0) == hash }
        guard isRightName else { throw .undecryptable(.damaged) }
        return entry
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
        let entry = try open(slot, hash)
        let isAsked = entry.withName { name in
            unsafe key.withBytes { unsafe name.count == $0.count && isEqualInConstantTime(name, $0.span) }
        }
        guard isAsked else { throw .undecryptable(.damaged) }
        return entry
    }

    /// One entry as a bulk read meets it.
    enum BulkItem {
        case entry(Entry)
        case omitted(OmittedEntry)
    }

    func readBulk(_ hash: Bytes16, _ slot: EntrySlot) throws(StorageFault) -> BulkItem {
        do throws(StorageFault) {
            let entry = try open(slot, hash)
            guard let name = entry.withName({ EntryKey(utf8: $0.array(0..<$0.count)) }) else {
                throw .undecryptable(.damaged)
            }
            return .entry(Entry(key: name.name, value: try entry.copiedValue()))
        } catch {
            guard case .cause(.undecryptable(let reason)) = error else { throw error }
            return .omitted(OmittedEntry(key: try name(of: slot, hash)?.name, reason: reason))
        }
    }

    /// Asks for what the lists of a bulk read take.
    func checkMemoryForAll() throws(StorageFault) {
        let element = MemoryLayout<(Bytes16, EntrySlot)>.stride + 2 * MemoryLayout<Entry>.stride
        try MemoryRoom.check(table.slots.count * element)
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

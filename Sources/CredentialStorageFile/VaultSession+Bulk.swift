internal import CredentialStorage
internal import CredentialStorageSealing

extension VaultSession {
    /// Reads everything.
    ///
    /// Names and values are opened side by side into one piece of locked memory, by several threads where there is much.
    func readAll() throws(StorageFault) -> BulkRead {
        try checkMemoryForAll()
        let present = table.present
        var offsets: [Int] = []
        offsets.reserveCapacity(present.count)
        var room = 0
        for (_, slot) in present {
            offsets.append(room)
            if slot.state == .live { room += slot.bodyLength }
        }
        let memory = SharedSecret(try SecureBuffer(count: room, in: arena))
        let opened = try openAll(present, offsets, memory)
        var omitted: [OmittedEntry] = []
        var places: [EntryPlace] = []
        places.reserveCapacity(present.count)
        for (index, place) in opened.enumerated() {
            if let place {
                places.append(place)
            } else {
                let (hash, slot) = present[index]
                omitted.append(OmittedEntry(key: try name(of: slot, hash)?.name, reason: .damaged))
            }
        }
        return BulkRead(memory, places, omitted: omitted, lost: table.lost)
    }

    /// Asks for what the lists of a bulk read take.
    func checkMemoryForAll() throws(StorageFault) {
        let element = MemoryLayout<(Bytes16, EntrySlot)>.stride + 4 * MemoryLayout<Entry>.stride
        try MemoryRoom.check(table.slots.count * element)
    }

    /// Opens every live entry at its offset in the memory; `nil` for each that does not open.
    private func openAll(
        _ present: [(hash: Bytes16, slot: EntrySlot)],
        _ offsets: [Int],
        _ memory: SharedSecret
    ) throws(StorageFault) -> [EntryPlace?] {
        let parts = Parallel.parts(for: present.count, least: 1024)
        let opened = Locked([[EntryPlace?]](repeating: [], count: parts))
        let fault = Locked<StorageFault?>(nil)
        Parallel.run(parts) { part in
            let range = present.count * part / parts..<present.count * (part + 1) / parts
            var own: [EntryPlace?] = []
            own.reserveCapacity(range.count)
            do throws(StorageFault) {
                for index in range {
                    let (hash, slot) = present[index]
                    own.append(try open(slot, hash, at: offsets[index], in: memory))
                }
            } catch {
                fault.withLock { $0 = error }
            }
            opened.withLock { $0[part] = own }
        }
        if let fault = fault.withLock({ $0 }) { throw fault }
        return opened.withLock { $0 }.flatMap(\.self)
    }

    private func open(
        _ slot: EntrySlot,
        _ hash: Bytes16,
        at offset: Int,
        in memory: SharedSecret
    ) throws(StorageFault) -> EntryPlace? {
        guard slot.state == .live else { return nil }
        let target = unsafe (memory.bytes.address + offset).assumingMemoryBound(to: UInt8.self)
        do throws(StorageFault) {
            guard unsafe try openBox(slot, hash, into: target) else { return nil }
        } catch {
            guard case .cause(.undecryptable) = error else { throw error }
            return nil
        }
        let box = unsafe UnsafeBufferPointer(start: target, count: slot.bodyLength).span
        guard let lengths = BoxLengths(box) else { return nil }
        let name = box.extracting(lengths.name)
        guard EntryKey.isValid(name), keys.nameHash(name) == hash else { return nil }
        return EntryPlace(
            offset: offset + Layout.plaintextPrefix, nameLength: lengths.name.count,
            valueLength: lengths.value.count)
    }
}

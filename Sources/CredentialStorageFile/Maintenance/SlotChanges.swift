internal import CredentialStorage
internal import CredentialStorageSealing

/// Adds, removes and changes the keys that open a vault; nothing but its header is written.
struct SlotChanges {
    let engine: VaultEngine

    private var options: VaultEngine.Options { engine.options }

    /// Adds a slot for the key of a source, which may make one.
    func add(_ source: KeySource) throws(StorageFault) -> SlotRecord {
        try engine.checkUsable()
        let (isBound, others) = try lookAhead { (session) throws(StorageFault) in
            guard session.header.slots.count < Layout.maximumSlots else { throw .conflict }
            return (mustBind(beside: session.header.slots), session.header.slots)
        }
        return try place(source, isBound: isBound, beside: others) { (header) throws(StorageFault) in
            guard header.slots.count < Layout.maximumSlots else { throw .conflict }
            return header.slots.count
        }
    }

    /// Removes a slot.
    func remove(_ id: UInt32) throws(StorageFault) {
        try engine.checkUsable()
        try engine.changeHeader { (header, _) throws(StorageFault) in
            var next = header
            next.slots.removeAll { $0.id == id }
            guard next.slots.count < header.slots.count else { throw .conflict }
            // Slots of kinds that this version does not know open nothing here.
            guard next.slots.contains(where: { KeySlotKind.named(by: $0.kind) != nil }) else {
                throw .cause(.lastKeySlot)
            }
            return next
        }
    }

    /// Puts another key in the place of a slot's.
    func change(_ id: UInt32, to source: KeySource) throws(StorageFault) -> SlotRecord {
        try engine.checkUsable()
        let (isBound, others) = try lookAhead { (session) throws(StorageFault) in
            guard let old = session.header.slots.first(where: { $0.id == id }) else { throw .conflict }
            return (mustBind(beside: [old]), session.header.slots.filter { $0.id != id })
        }
        return try place(source, isBound: isBound, beside: others) { (header) throws(StorageFault) in
            guard let index = header.slots.firstIndex(where: { $0.id == id }) else { throw .conflict }
            return index
        }
    }

    /// What is refused whatever the new key is, is refused before anybody is asked for one, and before one is made.
    private func lookAhead(
        _ body: (VaultSession) throws(StorageFault) -> (isBound: Bool, others: [SlotRecord])
    ) throws(StorageFault) -> (isBound: Bool, others: [SlotRecord]) {
        try engine.read { (session) throws(StorageFault) in
            guard let session else { throw .conflict }
            try session.checkPrivate()
            guard session.isWritable else { throw try engine.unwritable(session) }
            return try body(session)
        }
    }

    /// Puts a slot for the key of a source in the place of one, or behind the last.
    ///
    /// - Throws: `conflict` when another slot has this key already: who removes one of the two would think it gone.
    private func place(
        _ source: KeySource,
        isBound: Bool,
        beside known: [SlotRecord],
        at index: (VaultHeader) throws(StorageFault) -> Int
    ) throws(StorageFault) -> SlotRecord {
        let new = try NewKey(from: source, for: .create, isMachineBound: isBound, engine)
        new.prepare(for: known)
        var made: SlotRecord?
        var isInUse = false
        try engine.changeHeader { (header, masterKey) throws(StorageFault) in
            var next = header
            let index = try index(header)
            let isAdded = index == header.slots.count
            if isAdded { next.highestSlotID = header.highestSlotID &+ 1 }
            let key = try new.key()
            let others = header.slots.enumerated().filter { $0.offset != index }
            isInUse = others.contains { key.opens($0.element, fileID: header.fileID) }
            guard !isInUse else { throw .conflict }
            let slot = try key.slot(
                id: isAdded ? next.highestSlotID : header.slots[index].id, for: masterKey, fileID: header.fileID,
                options.randomness)
            next.slots.replaceSubrange(index..<min(index + 1, header.slots.count), with: [slot])
            try checkWork(of: next)
            made = slot
            return next
        } ifRefused: {
            // Another process may have made a slot for a key that was made here.
            if !isInUse { new.takeBack(after: $0) }
        }
        guard let made else { throw .conflict }
        return made
    }

    /// A vault that opens on one machine only does not come to open elsewhere by a new slot.
    private func mustBind(beside slots: [SlotRecord]) -> Bool {
        options.accessibility != nil || slots.allSatisfy(\.isMachineBound)
    }

    /// What would be refused at the next opening is refused now.
    private func checkWork(of header: VaultHeader) throws(StorageFault) {
        try VaultUnlocking.checkWork(of: header, kind: .passphrase, limits: options.keyDerivationLimits)
    }
}

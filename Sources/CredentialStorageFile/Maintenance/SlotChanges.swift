internal import CredentialStorage
internal import CredentialStorageSealing

/// Adds, removes and changes the keys that open a vault; nothing but its header is written.
struct SlotChanges {
    let engine: VaultEngine

    private var options: VaultEngine.Options { engine.options }

    /// Adds a slot for the key of a source, which may make one.
    func add(_ source: KeySource) throws(StorageFault) -> SlotRecord {
        try engine.checkUsable()
        // Before anybody is asked for a key, and before one is made.
        let isBound = try engine.read { (session) throws(StorageFault) -> Bool in
            guard let session, session.header.slots.count < Layout.maximumSlots else { throw .conflict }
            return mustBind(beside: session.header.slots)
        }
        let key = try newKey(source, isBound: isBound)
        var made: SlotRecord?
        try engine.changeHeader { (header, masterKey) throws(StorageFault) in
            guard header.slots.count < Layout.maximumSlots else { throw .conflict }
            var next = header
            next.highestSlotID = header.highestSlotID &+ 1
            let slot = try key.slot(
                id: next.highestSlotID, for: masterKey, fileID: header.fileID, options.randomness)
            next.slots.append(slot)
            try checkWork(of: next)
            made = slot
            return next
        }
        guard let made else { throw .conflict }
        return made
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
        let isBound = try engine.read { (session) throws(StorageFault) -> Bool in
            guard let old = session?.header.slots.first(where: { $0.id == id }) else { throw .conflict }
            return mustBind(beside: [old])
        }
        let key = try newKey(source, isBound: isBound)
        var made: SlotRecord?
        try engine.changeHeader { (header, masterKey) throws(StorageFault) in
            var next = header
            guard let index = next.slots.firstIndex(where: { $0.id == id }) else { throw .conflict }
            let slot = try key.slot(id: id, for: masterKey, fileID: header.fileID, options.randomness)
            next.slots[index] = slot
            try checkWork(of: next)
            made = slot
            return next
        }
        guard let made else { throw .conflict }
        return made
    }

    /// A vault that opens on one machine only does not come to open elsewhere by a new slot.
    private func mustBind(beside slots: [SlotRecord]) -> Bool {
        options.accessibility != nil || slots.allSatisfy(\.isMachineBound)
    }

    private func newKey(_ source: KeySource, isBound: Bool) throws(StorageFault) -> SlotKey {
        let request = try engine.keyRequest(try engine.location())
        return try SlotKey(from: source, for: .create, request, isMachineBound: isBound, options)
    }

    /// What would be refused at the next opening is refused now.
    private func checkWork(of header: VaultHeader) throws(StorageFault) {
        try VaultUnlocking.checkWork(of: header, kind: .passphrase, limits: options.keyDerivationLimits)
    }
}

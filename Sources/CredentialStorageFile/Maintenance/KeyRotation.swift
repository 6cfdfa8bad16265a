internal import CredentialStorage
internal import CredentialStorageSealing

/// Renews the keys that a vault's contents are sealed under, in a new file that takes the place of the old one.
struct KeyRotation {
    let engine: VaultEngine
    let progress: (_ done: Int, _ of: Int) -> Void

    private var options: VaultEngine.Options { engine.options }

    /// Seals every value under a new data key; every slot goes on to open the vault.
    func renewDataKey() throws(StorageFault) {
        try run { (session) throws(StorageFault) in
            try renewal(of: session, masterKey: session.masterKey) { $0.slots }
        }
    }

    /// The same under a new master key, for which the key of each slot is needed.
    ///
    /// - Parameters:
    ///   - sources: Where the keys of the slots that stay come from, besides the store's own source.
    ///   - removed: The slots that go.
    /// - Throws: `keySourceMissing` when nothing gives the key of a slot that stays, `damaged` when something does not
    ///   open; the vault is unchanged then.
    func renewMasterKey(keeping sources: [KeySource], removing removed: Set<UInt32>) throws(StorageFault) {
        try engine.checkUsable()
        let header = try engine.read { (session) throws(StorageFault) in session?.header }
        guard let header else { throw .conflict }
        let keys = try keys(of: header, from: [options.keySource] + sources, removed)
        let masterKey = try options.randomness.key(in: engine.arena)
        try run { (session) throws(StorageFault) in
            try renewal(of: session, masterKey: masterKey) { (header) throws(StorageFault) in
                var slots: [SlotRecord] = []
                for var slot in header.slots where !removed.contains(slot.id) {
                    // A slot that came or changed meanwhile has a key that nobody gave.
                    guard let key = keys[slot.id], SlotCrypto.isKey(key.bytes, of: slot, fileID: header.fileID) else {
                        throw .conflict
                    }
                    try SlotCrypto.wrap(
                        masterKey.bytes, into: &slot, ikm: key.bytes, fileID: header.fileID,
                        randomness: options.randomness)
                    slots.append(slot)
                }
                return slots
            }
        }
    }

    private func run(
        _ renewal: (VaultSession) throws(StorageFault) -> HeaderRenewal
    ) throws(StorageFault) {
        try engine.checkUsable()
        var rewriting = VaultRewriting(engine: engine, patience: options.deadline)
        rewriting.progress = progress
        guard let isCertain = try rewriting.run(renewal) else { throw .conflict }
        // After a power cut the old file might be back, with the old keys.
        guard isCertain else { throw .unavailable(.notConfirmed) }
    }

    private func renewal(
        of session: VaultSession,
        masterKey: SharedSecret,
        slots: @escaping (VaultHeader) throws(StorageFault) -> [SlotRecord]
    ) throws(StorageFault) -> HeaderRenewal {
        let dataKey = try options.randomness.key(in: engine.arena)
        let number = session.header.dataKeyNumber &+ 1
        let keys = try VaultKeys(
            dataKey: dataKey.bytes, fileID: session.header.fileID, dataKeyNumber: number, arena: engine.arena)
        return HeaderRenewal(keys: keys, masterKey: masterKey) { (header) throws(StorageFault) in
            var next = header
            next.slots = try slots(header)
            next.headerSequence &+= 1
            next.dataKeyNumber = number
            try SlotCrypto.wrapDataKey(
                dataKey.bytes, into: &next, masterKey: masterKey.bytes, randomness: options.randomness)
            return next
        }
    }

    /// What opens each slot that stays.
    private func keys(
        of header: VaultHeader,
        from sources: [KeySource],
        _ removed: Set<UInt32>
    ) throws(StorageFault) -> [UInt32: SharedSecret] {
        guard removed.isSubset(of: header.slots.map(\.id)) else { throw .conflict }
        let staying = header.slots.filter { !removed.contains($0.id) }
        guard !staying.isEmpty else { throw .cause(.lastKeySlot) }
        let machineID = MachineID.read(options)
        let request = try engine.keyRequest(try engine.location())
        var keys: [UInt32: SharedSecret] = [:]
        for source in sources {
            let kind = source.provider.kind
            let wanted = staying.filter { $0.kind == kind.number && keys[$0.id] == nil }
            guard !wanted.isEmpty else { continue }
            for secret in try source.provider.key(for: .open, request).forms {
                for slot in wanted where keys[slot.id] == nil {
                    let ikm = try SlotCrypto.ikm(
                        secret.bytes, kind: kind, slot: slot, machineID: machineID,
                        limits: options.keyDerivationLimits)
                    if SlotCrypto.isKey(ikm, of: slot, fileID: header.fileID) { keys[slot.id] = SharedSecret(ikm) }
                }
            }
        }
        guard staying.allSatisfy({ keys[$0.id] != nil }) else { throw .unavailable(.keySourceMissing) }
        return keys
    }
}

internal import CredentialStorage
internal import CredentialStorageSealing

/// A key that a slot is made for: what the slot will say of it, and what its wrapping comes from.
///
/// ``NewKey`` says when it is made.
struct SlotKey {
    private let template: SlotRecord
    private let ikm: SharedSecret
    private let kind: KeySlotKind
    private let secret: SharedSecret
    /// What a passphrase gave for the slots that it was compared with.
    private var attempts = KeyAttempts()
    private let machineID: [UInt8]?
    private let limits: Argon2Limits

    /// Asks the source for the key.
    ///
    /// A key that the source makes now is on the disk when this returns.
    init(
        from source: KeySource,
        for purpose: KeyPurpose,
        _ request: KeyRequest,
        isMachineBound: Bool,
        _ options: StorageBuilder.EncryptedFile.Options
    ) throws(StorageFault) {
        let isMachineBound = isMachineBound || source.isMachineBound
        // Binding to nothing would be a promise without a lock behind it.
        machineID = MachineID.read(options)
        if isMachineBound, machineID == nil { throw .unavailable(.keySourceUnavailable) }
        kind = source.provider.kind
        if kind.isPassphrase { try options.keyDerivationLimits.check(options.keyDerivation) }
        secret = try source.provider.key(for: purpose, request).first
        var slot = SlotRecord(
            kind: kind.number,
            flags: isMachineBound ? SlotRecord.Flag.machineBound : 0,
            id: 0,
            passes: kind.isPassphrase ? UInt32(options.keyDerivation.passes) : 0,
            kibibytes: kind.isPassphrase ? UInt32(options.keyDerivation.kibibytes) : 0,
            salt: try options.randomness.bytes(Argon2.saltLength),
            parameters: [])
        limits = options.keyDerivationLimits
        if isMachineBound, let machineID {
            slot.parameters = SlotParameter.encode(
                SlotParameter.machineTag, SlotCrypto.machineTag(machineID, salt: slot.salt))
        }
        ikm = SharedSecret(
            try SlotCrypto.ikm(
                secret.bytes, kind: kind, slot: slot, machineID: machineID, limits: limits))
        template = slot
    }

    /// Stretches a passphrase for the slots that it will be compared with, before any lock is held for that.
    mutating func prepare(for slots: [SlotRecord]) {
        guard kind.isPassphrase else { return }
        for slot in slots {
            if let ikm = ikm(of: slot) { attempts.add(ikm, for: slot) }
        }
    }

    /// Whether the key opens a slot that is there, and is bound as it is: bound and not bound, one key has two slots.
    func opens(_ slot: SlotRecord, fileID: Bytes16) -> Bool {
        ikm(of: slot).map { SlotCrypto.isKey($0.bytes, of: slot, fileID: fileID) } ?? false
    }

    private func ikm(of slot: SlotRecord) -> SharedSecret? {
        guard slot.kind == kind.number, slot.isMachineBound == template.isMachineBound else { return nil }
        if let known = attempts.known(for: slot) { return known }
        return try? SharedSecret(
            SlotCrypto.ikm(secret.bytes, kind: kind, slot: slot, machineID: machineID, limits: limits))
    }

    /// The slot, with the master key wrapped in it.
    func slot(
        id: UInt32,
        for masterKey: SharedSecret,
        fileID: Bytes16,
        _ randomness: any Randomness
    ) throws(StorageFault) -> SlotRecord {
        var slot = template
        slot.id = id
        try SlotCrypto.wrap(masterKey.bytes, into: &slot, ikm: ikm.bytes, fileID: fileID, randomness: randomness)
        return slot
    }
}

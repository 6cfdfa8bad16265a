internal import CredentialStorage
internal import CredentialStorageSealing

/// A key that a slot is made for: what the slot will say of it, and what its wrapping comes from.
///
/// ``NewKey`` says when it is made.
struct SlotKey {
    private let template: SlotRecord
    private let ikm: SharedSecret
    private let kind: KeySlotKind
    /// The key of 32 bytes; `nil` of a passphrase, which is not kept.
    private let secret: SharedSecret?
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
        kind = source.provider.kind
        if kind.isPassphrase { try options.keyDerivationLimits.check(options.keyDerivation) }
        let secret = try source.provider.key(for: purpose, request).first
        var slot = SlotRecord(
            kind: kind.number,
            flags: isMachineBound ? SlotRecord.Flag.machineBound : 0,
            id: 0,
            passes: kind.isPassphrase ? UInt32(options.keyDerivation.passes) : 0,
            kibibytes: kind.isPassphrase ? UInt32(options.keyDerivation.kibibytes) : 0,
            salt: try options.randomness.bytes(Argon2.saltLength),
            parameters: [])
        machineID = MachineID.read(options)
        limits = options.keyDerivationLimits
        if isMachineBound {
            // Binding to nothing would be a promise without a lock behind it.
            guard let machineID else { throw .unavailable(.keySourceUnavailable) }
            slot.parameters = SlotParameter.encode(
                SlotParameter.machineTag, SlotCrypto.machineTag(machineID, salt: slot.salt))
        }
        ikm = SharedSecret(
            try SlotCrypto.ikm(
                secret.bytes, kind: kind, slot: slot, machineID: machineID, limits: limits))
        self.secret = kind.isPassphrase ? nil : secret
        template = slot
    }

    /// Whether the key opens a slot that is there, and is bound as it is: bound and not bound, one key has two slots.
    ///
    /// Not known of a passphrase, which would have to be stretched for each slot.
    func opens(_ slot: SlotRecord, fileID: Bytes16) -> Bool {
        guard slot.kind == kind.number, slot.isMachineBound == template.isMachineBound, let secret,
            let ikm = try? SharedSecret(
                SlotCrypto.ikm(secret.bytes, kind: kind, slot: slot, machineID: machineID, limits: limits))
        else { return false }
        return SlotCrypto.isKey(ikm.bytes, of: slot, fileID: fileID)
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

internal import CredentialStorage
internal import CredentialStorageSealing

/// A key that a slot is made for: what the slot will say of it, and what its wrapping comes from.
///
/// Made before any lock is taken: a person may be asked, and stretching a passphrase takes its time.
struct SlotKey {
    private let template: SlotRecord
    private let ikm: SharedSecret

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
        let kind = source.provider.kind
        if kind.isPassphrase { try options.keyDerivationLimits.check(options.keyDerivation) }
        let secret = try source.provider.key(for: purpose, request)
        var slot = SlotRecord(
            kind: kind.number,
            flags: isMachineBound ? SlotRecord.Flag.machineBound : 0,
            id: 0,
            passes: kind.isPassphrase ? UInt32(options.keyDerivation.passes) : 0,
            kibibytes: kind.isPassphrase ? UInt32(options.keyDerivation.kibibytes) : 0,
            salt: try options.randomness.bytes(Argon2.saltLength),
            parameters: [])
        let machineID = MachineID.read(options.fileSystem)
        if isMachineBound {
            // Binding to nothing would be a promise without a lock behind it.
            guard let machineID else { throw .unavailable(.keySourceUnavailable) }
            slot.parameters = SlotParameter.encode(
                SlotParameter.machineTag, SlotCrypto.machineTag(machineID, salt: slot.salt))
        }
        ikm = SharedSecret(
            try SlotCrypto.ikm(
                secret, kind: kind, slot: slot, machineID: machineID, limits: options.keyDerivationLimits))
        template = slot
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

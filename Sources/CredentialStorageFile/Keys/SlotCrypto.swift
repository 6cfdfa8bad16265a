internal import CredentialStorage
internal import CredentialStorageSealing

/// Wraps and unwraps the master key and the data key.
enum SlotCrypto {
    /// The 32 bytes that a slot's keys come from.
    static func ikm(
        _ secret: borrowing SecureBuffer,
        kind: KeySlotKind,
        slot: SlotRecord,
        machineID: [UInt8]?,
        limits: Argon2Limits
    ) throws(StorageFault) -> SecureBuffer {
        var ikm: SecureBuffer
        if kind.isPassphrase {
            let parameters = Argon2Parameters(passes: Int(slot.passes), kibibytes: Int(slot.kibibytes))
            try limits.check(parameters)
            ikm = try Argon2.derive(secret, salt: slot.salt.span, parameters)
        } else {
            guard secret.count == Box.keyLength else { throw .unavailable(.keySourceUnavailable) }
            ikm = try secret.withBytes { (bytes) throws(StorageFault) in
                try SecureBuffer(copying: bytes, in: .shared)
            }
        }
        if slot.isMachineBound {
            guard let machineID else { throw .unavailable(.keySourceUnavailable) }
            let bound = try derived(ikm, "scv1 machine", machineID)
            ikm = bound
        }
        return ikm
    }

    /// Tells this machine from another one without telling the machine id.
    static func machineTag(_ machineID: [UInt8], salt: [UInt8]) -> [UInt8] {
        var hash = Blake2b(length: 16, key: salt.span)
        hash.update("scv1 machine tag")
        hash.update([0].span)
        hash.update(machineID.span)
        return hash.finish()
    }

    private static func check(_ ikm: borrowing SecureBuffer, _ slot: SlotRecord, fileID: Bytes16) -> [UInt8] {
        ikm.withBytes { KeyDerivation.bytes(from: $0, "scv1 slot check", fileID.bytes + slot.derivationContext) }
    }

    private static func wrappingKey(
        _ ikm: borrowing SecureBuffer,
        _ slot: SlotRecord,
        fileID: Bytes16
    ) throws(StorageFault) -> SecureBuffer {
        try derived(ikm, "scv1 slot wrap", fileID.bytes + slot.derivationContext)
    }

    private static func derived(
        _ secret: borrowing SecureBuffer,
        _ context: StaticString,
        _ data: [UInt8]
    ) throws(StorageFault) -> SecureBuffer {
        try secret.withBytes { (bytes) throws(StorageFault) in try KeyDerivation.key(from: bytes, context, data) }
    }

    /// Fills in check, nonce and wrapped master key of a slot.
    static func wrap(
        _ masterKey: borrowing SecureBuffer,
        into slot: inout SlotRecord,
        ikm: borrowing SecureBuffer,
        fileID: Bytes16,
        randomness: any Randomness
    ) throws(StorageFault) {
        slot.check = check(ikm, slot, fileID: fileID)
        slot.nonce = try randomness.bytes(Box.nonceLength)
        let context = fileID.bytes + slot.wrappingContext
        let key = try wrappingKey(ikm, slot, fileID: fileID)
        slot.sealedMasterKey = seal(masterKey, nonce: slot.nonce, context: context, key: key)
    }

    /// Whether this is the key of a slot.
    static func isKey(_ ikm: borrowing SecureBuffer, of slot: SlotRecord, fileID: Bytes16) -> Bool {
        isEqualInConstantTime(check(ikm, slot, fileID: fileID).span, slot.check.span)
    }

    /// The master key of a slot, or `nil` when the key is another one.
    ///
    /// - Throws: `damaged` when the key is right and the slot is not.
    static func unwrap(
        _ slot: SlotRecord,
        ikm: borrowing SecureBuffer,
        fileID: Bytes16
    ) throws(StorageFault) -> SecureBuffer? {
        guard isKey(ikm, of: slot, fileID: fileID) else { return nil }
        let context = fileID.bytes + slot.wrappingContext
        let key = try wrappingKey(ikm, slot, fileID: fileID)
        guard let masterKey = try open(slot.sealedMasterKey, nonce: slot.nonce, context: context, key: key) else {
            throw .damaged
        }
        return masterKey
    }

    static func wrapDataKey(
        _ dataKey: borrowing SecureBuffer,
        into header: inout VaultHeader,
        masterKey: borrowing SecureBuffer,
        randomness: any Randomness
    ) throws(StorageFault) {
        header.nonce = try randomness.bytes(Box.nonceLength)
        let key = try derived(masterKey, "scv1 data wrap", [])
        header.sealedDataKey = seal(dataKey, nonce: header.nonce, context: header.dataKeyContext, key: key)
    }

    static func unwrapDataKey(
        _ header: VaultHeader,
        masterKey: borrowing SecureBuffer
    ) throws(StorageFault) -> SecureBuffer {
        let key = try derived(masterKey, "scv1 data wrap", [])
        guard
            let dataKey = try open(header.sealedDataKey, nonce: header.nonce, context: header.dataKeyContext, key: key)
        else { throw .damaged }
        return dataKey
    }

    static func headerMAC(_ covered: [UInt8], masterKey: borrowing SecureBuffer) throws(StorageFault) -> [UInt8] {
        try derived(masterKey, "scv1 header", []).withBytes { key in
            var hash = Blake2b(length: 32, key: key)
            hash.update(covered.span)
            return hash.finish()
        }
    }

    /// One header copy with both hashes, filled up to its room with zeros.
    static func encode(_ header: VaultHeader, masterKey: borrowing SecureBuffer) throws(StorageFault) -> [UInt8] {
        var result = header.encoded
        result += try headerMAC(result, masterKey: masterKey)
        result += KeyDerivation.plainHash(result.span)
        result += [UInt8](repeating: 0, count: Layout.headerRoom - result.count)
        return result
    }

    private static func seal(
        _ secret: borrowing SecureBuffer,
        nonce: [UInt8],
        context: [UInt8],
        key: borrowing SecureBuffer
    ) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: secret.count + Box.tagLength)
        secret.withBytes { plain in
            key.withBytes { key in
                unsafe sealed.withUnsafeMutableBufferPointer { target in
                    let start = target.baseAddress!
                    unsafe Box.seal(
                        plain, into: start, tag: start + plain.count, nonce: nonce.span, associatedData: context.span,
                        key: key)
                }
            }
        }
        return sealed
    }

    private static func open(
        _ sealed: [UInt8],
        nonce: [UInt8],
        context: [UInt8],
        key: borrowing SecureBuffer
    ) throws(StorageFault) -> SecureBuffer? {
        let count = sealed.count - Box.tagLength
        let plain = try SecureBuffer(count: count, in: .shared)
        let target = unsafe plain.address.assumingMemoryBound(to: UInt8.self)
        let isOpen = key.withBytes { key in
            unsafe Box.open(
                sealed.span.extracting(0..<count), into: target, tag: sealed.span.extracting(count..<sealed.count),
                nonce: nonce.span, associatedData: context.span, key: key)
        }
        guard isOpen else { return nil }
        return plain
    }
}

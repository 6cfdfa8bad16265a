internal import CredentialStorage
internal import CredentialStorageSealing

/// A header and the keys that opened it.
struct UnlockedVault {
    let header: VaultHeader
    let headerCopies: [Bool]
    /// Whether the copies of the header differ, or one of them is damaged.
    let wantsHeaderMended: Bool
    let masterKey: SharedSecret
    let keys: VaultKeys
    let slot: SlotRecord
}

/// Reads a vault's header and opens it with a key source.
struct VaultUnlocking {
    let options: StorageBuilder.EncryptedFile.Options
    let request: KeyRequest
    let arena: SecureArena

    /// Both header copies as they stand in the file.
    static func readCopies(
        _ file: FileHandle,
        _ fileSystem: any FileSystem
    ) throws(StorageFault) -> [HeaderCopy.Finding] {
        let raw = try faulting { () throws(SystemError) in
            try fileSystem.read(file, count: 2 * Layout.headerRoom, at: 0)
        }
        let first = min(raw.count, Layout.headerRoom)
        let copies = [0..<first, first..<raw.count].map { range in
            HeaderCopy.read(raw.span.extracting(range), plainHash: KeyDerivation.plainHash)
        }
        return copies
    }

    /// The sound copies, the newer one first.
    static func candidates(_ copies: [HeaderCopy.Finding]) throws(StorageFault) -> [HeaderCopy] {
        var sound: [HeaderCopy] = []
        var newer: Int?
        for copy in copies {
            switch copy {
            case .sound(let copy): sound.append(copy)
            case .newer(let version): newer = max(version, newer ?? 0)
            case .foreign, .damaged: break
            }
        }
        if let newer { throw .cause(.unsupportedVersion(newer)) }
        guard !sound.isEmpty else {
            throw copies.allSatisfy { $0 == .foreign } ? .notAStore : .damaged
        }
        return sound.sorted { $0.header.headerSequence > $1.header.headerSequence }
    }

    /// Opens a vault.
    ///
    /// A master key that opened it before spares asking the source again.
    func unlock(_ file: FileHandle, known: SharedSecret?) throws(StorageFault) -> UnlockedVault {
        let copies = try Self.readCopies(file, options.fileSystem)
        let candidates = try Self.candidates(copies)
        if !copies.allSatisfy(\.isSound) { options.log.warning("one of the two copies of the header is damaged") }
        if let known, let copy = try Self.first(of: candidates, under: known) {
            return try finish(copy, copies, known, slot: usedSlot(copy))
        }
        let provider = options.keySource.provider
        let affordable = try affordable(candidates, provider.kind)
        let material = try provider.key(for: .open, request)
        let machineID = MachineID.read(options)
        var failure: StorageFault?
        for secret in material.forms {
            var attempts = KeyAttempts()
            for copy in affordable {
                do throws(StorageFault) {
                    let opened = try open(copy, secret.bytes, provider.kind, machineID, &attempts)
                    guard let (masterKey, slot) = opened else { continue }
                    guard try Self.isMaster(masterKey, of: copy) else { throw .damaged }
                    // An older header opens with a key that is just being changed; the newer one counts all the same.
                    let newest = try Self.first(of: candidates, under: masterKey) ?? copy
                    return try finish(newest, copies, masterKey, slot: slot)
                } catch {
                    failure = failure ?? error
                }
            }
        }
        throw failure ?? .wrongKey
    }

    /// The copies that ask for no more work than is allowed.
    ///
    /// Before anything else: a hostile file must not cost anything, not even a question to a person.
    private func affordable(_ copies: [HeaderCopy], _ kind: KeySlotKind) throws(StorageFault) -> [HeaderCopy] {
        guard kind.isPassphrase else { return copies }
        var failure: StorageFault?
        var result: [HeaderCopy] = []
        for copy in copies {
            do throws(StorageFault) {
                try Self.checkWork(of: copy.header, kind: kind, limits: options.keyDerivationLimits)
                result.append(copy)
            } catch {
                failure = failure ?? error
            }
        }
        if result.isEmpty, let failure { throw failure }
        return result
    }

    /// Throws where the slots of a kind ask for more work than is allowed, one by one or together.
    static func checkWork(of header: VaultHeader, kind: KeySlotKind, limits: Argon2Limits) throws(StorageFault) {
        var work = 0
        for slot in header.slots where slot.kind == kind.number {
            let parameters = Argon2Parameters(passes: Int(slot.passes), kibibytes: Int(slot.kibibytes))
            try limits.check(parameters)
            work += parameters.passes * parameters.kibibytes
        }
        // Each of up to eight slots may be tried.
        guard work <= 2 * limits.product else { throw .cause(.parametersOutOfRange) }
    }

    private func open(
        _ copy: HeaderCopy,
        _ secret: borrowing SecureBuffer,
        _ kind: KeySlotKind,
        _ machineID: [UInt8]?,
        _ attempts: inout KeyAttempts
    ) throws(StorageFault) -> (SharedSecret, SlotRecord)? {
        var isElsewhere = false
        for slot in copy.header.slots where slot.kind == kind.number {
            if slot.isMachineBound, !isThisMachine(slot, machineID) {
                isElsewhere = true
                continue
            }
            let ikm: SharedSecret
            if let known = attempts.known(for: slot) {
                ikm = known
            } else {
                ikm = try derive(secret, kind, slot, machineID)
                attempts.add(ikm, for: slot)
            }
            if let masterKey = try SlotCrypto.unwrap(slot, ikm: ikm.bytes, fileID: copy.header.fileID) {
                return (SharedSecret(masterKey), slot)
            }
        }
        if isElsewhere { throw .unavailable(.keySourceUnavailable) }
        return nil
    }

    private func derive(
        _ secret: borrowing SecureBuffer,
        _ kind: KeySlotKind,
        _ slot: SlotRecord,
        _ machineID: [UInt8]?
    ) throws(StorageFault) -> SharedSecret {
        if kind.isPassphrase { options.log.debug("a passphrase is stretched, which takes a while") }
        return SharedSecret(
            try SlotCrypto.ikm(
                secret, kind: kind, slot: slot, machineID: machineID, limits: options.keyDerivationLimits))
    }

    private func isThisMachine(_ slot: SlotRecord, _ machineID: [UInt8]?) -> Bool {
        guard let machineID else { return false }
        return SlotParameter.find(SlotParameter.machineTag, in: slot.parameters)
            == SlotCrypto.machineTag(machineID, salt: slot.salt)
    }

    /// The header that counts under a master key.
    static func first(of copies: [HeaderCopy], under masterKey: SharedSecret) throws(StorageFault) -> HeaderCopy? {
        for copy in copies where try isMaster(masterKey, of: copy) { return copy }
        return nil
    }

    private static func isMaster(_ masterKey: SharedSecret, of copy: HeaderCopy) throws(StorageFault) -> Bool {
        let mac = try SlotCrypto.headerMAC(copy.covered, masterKey: masterKey.bytes)
        return isEqualInConstantTime(mac.span, copy.mac.span)
    }

    private func usedSlot(_ copy: HeaderCopy) -> SlotRecord {
        copy.header.slots.first { $0.kind == options.keySource.provider.kind.number } ?? copy.header.slots[0]
    }

    private func finish(
        _ copy: HeaderCopy,
        _ copies: [HeaderCopy.Finding],
        _ masterKey: SharedSecret,
        slot: SlotRecord
    ) throws(StorageFault) -> UnlockedVault {
        let dataKey = try SlotCrypto.unwrapDataKey(copy.header, masterKey: masterKey.bytes)
        let keys = try VaultKeys(
            dataKey: dataKey, fileID: copy.header.fileID, dataKeyNumber: copy.header.dataKeyNumber, arena: arena)
        // The arena answers for all the rest.
        if options.lockedMemory == .required, !masterKey.bytes.isLocked { throw .unavailable(.memoryNotLocked) }
        return UnlockedVault(
            header: copy.header, headerCopies: copies.map(\.isSound),
            wantsHeaderMended: copies.contains { $0 != .sound(copy) }, masterKey: masterKey, keys: keys, slot: slot)
    }
}

extension HeaderCopy.Finding {
    var isSound: Bool { if case .sound = self { true } else { false } }
}

/// The id that the system gives a machine at its first start.
enum MachineID {
    static let standardPath = "/etc/machine-id"

    /// The id, or `nil` where the machine has none.
    ///
    /// An image that is to become many machines has none yet, and says so by another text, by an empty file, or by zeros.
    static func read(_ options: StorageBuilder.EncryptedFile.Options) -> [UInt8]? {
        guard let text = firstLine(options.machineIDPath, options.fileSystem), text.count == 32,
            text.allSatisfy({ isDigit($0) }), text.contains(where: { $0 != UInt8(ascii: "0") })
        else { return nil }
        return text
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    static func bootTag(_ fileSystem: any FileSystem) -> Bytes16 {
        guard let text = firstLine("/proc/sys/kernel/random/boot_id", fileSystem) else { return .zero }
        let noKey: [UInt8] = []
        var hash = Blake2b(length: 16, key: noKey.span)
        hash.update(text.span)
        let tag = hash.finish()
        return Bytes16(tag.span)
    }

    private static func firstLine(_ path: String, _ fileSystem: any FileSystem) -> [UInt8]? {
        guard let file = try? fileSystem.open(path, .read) else { return nil }
        defer { fileSystem.close(file) }
        guard let bytes = try? fileSystem.read(file, count: 128, at: 0) else { return nil }
        return Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    }
}

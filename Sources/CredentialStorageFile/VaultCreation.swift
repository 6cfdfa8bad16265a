internal import CredentialStorage
internal import CredentialStorageSealing
internal import Glibc

/// Makes a vault where none is.
///
/// Of several makers at once, one wins and the others use its vault.
struct VaultCreation {
    let engine: VaultEngine
    let purpose: KeyPurpose

    private var options: VaultEngine.Options { engine.options }
    private var fileSystem: any FileSystem { options.fileSystem }

    /// Makes the vault and opens it, or opens the one that another maker was faster with.
    ///
    /// - Throws: `conflict` when a new one was demanded and one is there.
    func create() throws(StorageFault) -> VaultSession {
        let location = try engine.location()
        return try PrivateDirectory.making(location.directory, fileSystem) { () throws(StorageFault) in
            try create(at: location)
        }
    }

    private func create(at location: VaultLocation) throws(StorageFault) -> VaultSession {
        try PrivateDirectory.check(location.directory, fileSystem)
        let provider = options.keySource.provider
        if provider.kind.isPassphrase { try options.keyDerivationLimits.check(options.keyDerivation) }
        // The key reaches the disk before anything is sealed under it.
        let secret = try provider.key(for: purpose, engine.keyRequest(location))
        let masterKey = try randomKey()
        let header = try header(masterKey, secret, provider.kind)

        let deadline = ContinuousClock.now + options.deadline
        let isMine = try putInPlace(header, masterKey.bytes, location, deadline)
        if !isMine, purpose == .create { throw .conflict }
        // Another maker's vault has another master key; the source is asked for it.
        guard let session = try VaultOpening(engine: engine, known: isMine ? masterKey : nil).open() else {
            throw .unavailable(.ioError)
        }
        return session
    }

    /// Holds the lock of the unfinished file until it is in place; it is the vault's own lock from then on.
    private func putInPlace(
        _ header: VaultHeader,
        _ masterKey: borrowing SecureBuffer,
        _ location: VaultLocation,
        _ deadline: ContinuousClock.Instant
    ) throws(StorageFault) -> Bool {
        let file = try lockUnfinished(location, deadline)
        defer { fileSystem.close(file) }
        return try put(header, masterKey, file, location)
    }

    private func randomKey() throws(StorageFault) -> SharedSecret {
        let key = try SecureBuffer(count: Box.keyLength, in: engine.arena)
        let start = unsafe key.address
        unsafe try options.randomness.fill(UnsafeMutableRawBufferPointer(start: start, count: Box.keyLength))
        return SharedSecret(key)
    }

    private func randomID() throws(StorageFault) -> Bytes16 {
        // A name of its own: the compiler ends a temporary before its span is read.
        let bytes = try options.randomness.bytes(16)
        return Bytes16(bytes.span)
    }

    private func header(
        _ masterKey: SharedSecret,
        _ secret: borrowing SecureBuffer,
        _ kind: KeySlotKind
    ) throws(StorageFault) -> VaultHeader {
        let fileID = try randomID()
        let isBound = options.accessibility != nil
        var slot = SlotRecord(
            kind: kind.number,
            flags: isBound ? SlotRecord.Flag.machineBound : 0,
            id: 1,
            passes: kind.isPassphrase ? UInt32(options.keyDerivation.passes) : 0,
            kibibytes: kind.isPassphrase ? UInt32(options.keyDerivation.kibibytes) : 0,
            salt: try options.randomness.bytes(Argon2.saltLength),
            parameters: [])
        let machineID = MachineID.read(fileSystem)
        if isBound {
            // Binding to nothing would be a promise without a lock behind it.
            guard let machineID else { throw .unavailable(.keySourceUnavailable) }
            slot.parameters = SlotParameter.encode(
                SlotParameter.machineTag, SlotCrypto.machineTag(machineID, salt: slot.salt))
        }
        let ikm = try SlotCrypto.ikm(
            secret, kind: kind, slot: slot, machineID: machineID, limits: options.keyDerivationLimits)
        try SlotCrypto.wrap(
            masterKey.bytes, into: &slot, ikm: ikm, fileID: fileID, randomness: options.randomness)
        var header = VaultHeader(
            fileID: fileID, logID: try randomID(), baseSequence: 0, headerSequence: 1, dataKeyNumber: 1,
            slots: [slot])
        let dataKey = try randomKey()
        try SlotCrypto.wrapDataKey(
            dataKey.bytes, into: &header, masterKey: masterKey.bytes, randomness: options.randomness)
        return header
    }

    /// The unfinished file, locked, and certainly the one at its path.
    private func lockUnfinished(
        _ location: VaultLocation,
        _ deadline: ContinuousClock.Instant
    ) throws(StorageFault) -> FileHandle {
        while true {
            let file: FileHandle
            do throws(SystemError) {
                file = try fileSystem.open(location.unfinished, .create)
            } catch {
                throw VaultOpening.meaning(of: error)
            }
            do throws(StorageFault) {
                try FileSystemKind.check(file, fileSystem)
                try FileLock.wait(until: deadline) { () throws(SystemError) in
                    try fileSystem.tryLock(file, shared: false)
                }
                if try isAtPath(file, location.unfinished) {
                    let isOurs = try faulting { () throws(SystemError) in
                        try UnfinishedVault.isOurs(file, at: location.unfinished, fileSystem)
                    }
                    guard isOurs else { throw .conflict }
                    do throws(SystemError) { try fileSystem.setMode(0o600, of: file) } catch {
                        try? fileSystem.remove(location.unfinished)
                        throw error.fault
                    }
                    return file
                }
            } catch {
                fileSystem.close(file)
                throw error
            }
            fileSystem.close(file)
        }
    }

    private func isAtPath(_ file: FileHandle, _ path: String) throws(StorageFault) -> Bool {
        let mine = try faulting { () throws(SystemError) in try fileSystem.status(of: file) }
        guard mine.owner == fileSystem.user, mine.kind == .regular else { throw .unavailable(.insecurePermissions) }
        guard let present = try? fileSystem.status(at: path, followingLink: false) else { return false }
        return present.isSameFile(as: mine)
    }

    /// Fills the unfinished file and puts it in place.
    ///
    /// - Returns: `false` when a vault was there first.
    private func put(
        _ header: VaultHeader,
        _ masterKey: borrowing SecureBuffer,
        _ file: FileHandle,
        _ location: VaultLocation
    ) throws(StorageFault) -> Bool {
        let copy = try SlotCrypto.encode(header, masterKey: masterKey)
        do throws(SystemError) {
            guard try !isThere(location.vault) else {
                try fileSystem.remove(location.unfinished)
                return false
            }
            try fileSystem.setSize(0, of: file)
            try fileSystem.write(file, copy + copy, at: 0)
            let room = Layout.initialSize - Layout.logStart
            try fileSystem.write(file, [UInt8](repeating: 0, count: room), at: Layout.logStart)
            try fileSystem.sync(file)
            try fileSystem.renameExclusively(location.unfinished, to: location.vault)
        } catch {
            try? fileSystem.remove(location.unfinished)
            if error.number == EEXIST { return false }
            throw error.fault
        }
        try faulting { () throws(SystemError) in try syncDirectory(location.directory, fileSystem) }
        return true
    }

    private func isThere(_ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try fileSystem.status(at: path, followingLink: false)
            return true
        } catch {
            guard error.number == ENOENT else { throw error }
            return false
        }
    }
}

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
        try location.checkNames()
        try PrivateDirectory.check(location.directory, fileSystem)
        // A vault that cannot be opened beside what stands there is not made.
        try engine.checkCompanion(location)
        let key = try NewKey(
            from: options.keySource, for: purpose, isMachineBound: options.accessibility != nil, engine)
        let masterKey = try putInPlace(key, location, until: .now + options.deadline)
        if masterKey == nil, purpose == .create { throw .conflict }
        // Another maker's vault has another master key; the source is asked for it.
        guard let session = try VaultOpening(engine: engine, known: masterKey).open() else {
            throw .unavailable(.ioError)
        }
        return session
    }

    /// Holds the lock of the unfinished file until it is in place; it is the vault's own lock from then on.
    ///
    /// - Returns: The new master key, or `nil` when a vault was there first.
    private func putInPlace(
        _ key: NewKey,
        _ location: VaultLocation,
        until deadline: ContinuousClock.Instant
    ) throws(StorageFault) -> SharedSecret? {
        let file = try UnfinishedVault.lock(location, fileSystem, until: deadline)
        defer { fileSystem.close(file) }
        let masterKey: SharedSecret?
        do throws(StorageFault) { masterKey = try put(key, file, location) } catch {
            try? fileSystem.remove(location.unfinished)
            throw error
        }
        guard let masterKey else {
            try? fileSystem.remove(location.unfinished)
            return nil
        }
        try faulting { () throws(SystemError) in try syncDirectory(location.directory, fileSystem) }
        return masterKey
    }

    /// Fills the unfinished file and puts it in place.
    ///
    /// It has its room before a key file is made, so that a disk or a limit that has none leaves no key behind. Where
    /// something fails after that the key stays: others may have begun to use it for vaults of their own.
    private func put(
        _ key: NewKey,
        _ file: FileHandle,
        _ location: VaultLocation
    ) throws(StorageFault) -> SharedSecret? {
        guard try faulting({ () throws(SystemError) in try !isThere(location.vault) }) else { return nil }
        try faulting { () throws(SystemError) in
            try fileSystem.setSize(0, of: file)
            try fileSystem.write(file, [UInt8](repeating: 0, count: Layout.initialSize), at: 0)
        }
        let (header, masterKey) = try FreshHeader(engine: engine).make(with: key)
        let copy = try SlotCrypto.encode(header, masterKey: masterKey.bytes)
        do throws(SystemError) {
            try fileSystem.write(file, copy + copy, at: 0)
            try fileSystem.sync(file)
            try fileSystem.renameExclusively(location.unfinished, to: location.vault)
        } catch {
            guard error.isPresence else { throw error.fault }
            return nil
        }
        return masterKey
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

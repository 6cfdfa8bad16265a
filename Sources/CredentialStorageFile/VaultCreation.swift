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
        let (header, masterKey) = try FreshHeader(engine: engine).make(for: purpose, location)

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
        let file = try UnfinishedVault.lock(location, fileSystem, until: deadline)
        defer { fileSystem.close(file) }
        return try put(header, masterKey, file, location)
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

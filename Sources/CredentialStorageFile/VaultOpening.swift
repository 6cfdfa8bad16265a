internal import CredentialStorage
internal import CredentialStorageSealing
internal import Glibc

/// Opens a vault that is on the disk: place, file, keys, companion, log.
struct VaultOpening {
    let engine: VaultEngine
    let known: SharedSecret?

    private var options: VaultEngine.Options { engine.options }
    private var fileSystem: any FileSystem { options.fileSystem }

    /// Opens the vault.
    ///
    /// - Returns: `nil` when there is none.
    func open() throws(StorageFault) -> VaultSession? {
        let location = try engine.location()
        var deadline: ContinuousClock.Instant?
        while true {
            guard let session = try openFile(location) else {
                removeLitter(location)
                return nil
            }
            // A person may have typed a passphrase until now; only the wait for other processes is limited.
            let end = deadline ?? .now + options.deadline
            deadline = end
            if try settle(session, location, end) {
                removeLitter(location)
                return session
            }
            // The path leads to another file by now.
            guard ContinuousClock.now < end else { throw .unavailable(.lockTimedOut) }
        }
    }

    /// Opens the file, checks it, and unlocks it; its log is not read yet.
    func openFile(_ location: VaultLocation) throws(StorageFault) -> VaultSession? {
        guard let vault = try openVaultFile(location) else { return nil }
        var isHandedOn = false
        defer { if !isHandedOn { fileSystem.close(vault.file) } }
        let unlocking = VaultUnlocking(
            options: options, request: try engine.keyRequest(location), arena: engine.arena)
        let unlocked = try unlocking.unlock(vault.file, known: known)
        let session = try VaultSession(
            file: vault.file, location: location, status: vault.status, isWritable: vault.isWritable,
            unlocked: unlocked, companion: try openCompanion(location), fileSystem: fileSystem, arena: engine.arena)
        isHandedOn = true
        return session
    }

    struct OpenFile {
        let file: FileHandle
        let status: FileStatus
        let isWritable: Bool
    }

    /// Opens the file and checks that it is this user's own, in a directory that nobody else can change.
    func openVaultFile(_ location: VaultLocation) throws(StorageFault) -> OpenFile? {
        guard let (file, isWritable) = try openVault(location) else {
            try PrivateDirectory.checkReachable(location.directory, fileSystem)
            // In a directory that others can write to, absence proves nothing.
            if (try? fileSystem.status(at: location.directory, followingLink: true)) != nil {
                try PrivateDirectory.check(location.directory, fileSystem)
            }
            return nil
        }
        do throws(StorageFault) {
            let status = try faulting { () throws(SystemError) in try fileSystem.status(of: file) }
            guard status.kind == .regular else { throw .notAStore }
            guard status.owner == fileSystem.user else { throw .unavailable(.insecurePermissions) }
            try PrivateDirectory.check(location.directory, fileSystem)
            try FileSystemKind.check(file, fileSystem)
            return OpenFile(file: file, status: status, isWritable: isWritable)
        } catch {
            fileSystem.close(file)
            throw error
        }
    }

    private func openVault(_ location: VaultLocation) throws(StorageFault) -> (FileHandle, isWritable: Bool)? {
        do throws(SystemError) {
            return (try fileSystem.open(location.vault, .readWrite), true)
        } catch {
            switch error.number {
            case ENOENT: return nil
            case EROFS, EACCES, EPERM: break
            default: throw Self.meaning(of: error)
            }
        }
        do throws(SystemError) {
            return (try fileSystem.open(location.vault, .read), false)
        } catch {
            if error.number == ENOENT { return nil }
            throw Self.meaning(of: error)
        }
    }

    /// What it means when a vault's path cannot be opened.
    static func meaning(of error: SystemError) -> StorageFault {
        switch error.number {
        case ENOTDIR, ENAMETOOLONG: .unavailable(.noStorageLocation, .errno(error.number))
        // A directory, a device or a socket in the vault's place.
        case EISDIR, ENXIO, ENODEV: .notAStore
        default: error.fault
        }
    }

    /// The companion, or `nil` where the disk or its owner lets none be made.
    func openCompanion(_ location: VaultLocation) throws(StorageFault) -> CompanionFile? {
        do throws(StorageFault) {
            return try CompanionFile.open(location.companion, fileSystem)
        } catch {
            guard CompanionFile.isDispensable(after: error) else { throw error }
            return nil
        }
    }

    /// Reads the log.
    ///
    /// Where the record does not vouch for its end, under the file's lock.
    ///
    /// - Returns: `false` when the file is no longer the one at the path.
    private func settle(
        _ session: VaultSession,
        _ location: VaultLocation,
        _ deadline: ContinuousClock.Instant
    ) throws(StorageFault) -> Bool {
        let isKnown = try readPublished(session)
        if isKnown, session.isTailUnchanged { return true }
        let isFree = try faulting { () throws(SystemError) in
            try fileSystem.tryLock(session.file, shared: !session.isWritable)
        }
        if !isFree {
            // Somebody writes behind the published state; what was not published was not answered either. A boot without
            // a name could be an earlier one, whose last publication may be missing.
            if isKnown, session.bootTag != .zero { return true }
            try FileLock.wait(until: deadline) { () throws(SystemError) in
                try fileSystem.tryLock(session.file, shared: !session.isWritable)
            }
        }
        defer { fileSystem.unlock(session.file) }
        guard engine.isSamePlace(session) else { return false }
        do throws(StorageFault) {
            try VaultCatchUp(options: options).run(session, fromStart: true)
        } catch {
            // A disk that refuses to be mended now can still be read as far as it was published.
            guard isKnown, session.bootTag != .zero, case .unavailable(.ioError, _) = error else { throw error }
            session.table = EntryTable()
            session.position = LogPosition(startOf: session.header)
            session.bytes.forget(from: 0)
            guard try readPublished(session) else { throw error }
        }
        return true
    }

    /// Reads up to the published tail, where the record vouches for this log in this boot.
    private func readPublished(_ session: VaultSession) throws(StorageFault) -> Bool {
        guard let record = session.companion?.record(session.keys), session.isAbout(record),
            record.bootTag == session.bootTag, Int(record.tail) <= session.status.size
        else { return false }
        return try session.readPublished(log: options.log)
    }

    /// Removes what a killed maker left: a file that nobody holds the lock of.
    private func removeLitter(_ location: VaultLocation) {
        guard let file = try? fileSystem.open(location.unfinished, .readWrite) else { return }
        defer { fileSystem.close(file) }
        UnfinishedVault.remove(file, location, fileSystem)
    }
}

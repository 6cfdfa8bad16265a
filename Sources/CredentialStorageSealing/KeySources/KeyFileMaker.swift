internal import CredentialStorage
internal import Glibc

/// Makes a key file where none is.
///
/// The key is on the disk before it has its name, and it gets the name only where nothing stands: two first starts agree
/// on one key, and a stop at any moment leaves a whole key or none.
struct KeyFileMaker {
    let path: String
    let request: KeyRequest

    private var fileSystem: any FileSystem { request.fileSystem }
    private var directory: String { parentDirectory(of: path) }
    /// Where the key is made on file systems that know no files without a name.
    private var unfinished: String { path + ".new" }

    /// Makes the file, or leaves the one that another maker was faster with.
    ///
    /// - Returns: The key, if the file is the one that was made here.
    func make() throws(StorageFault) -> SharedSecret? {
        let key = try request.freshKey()
        let isMine: Bool
        if let isUnnamedMine = try makeUnnamed(key) { isMine = isUnnamedMine } else { isMine = try makeNamed(key) }
        do throws(SystemError) { try syncDirectory(directory, fileSystem) } catch {
            if isMine { try? fileSystem.remove(path) }
            throw error.fault
        }
        return isMine ? SharedSecret(key) : nil
    }

    /// Makes a file without a name, so that nothing is left of it where this process is killed.
    ///
    /// - Returns: Whether it got its name, or `nil` where the file system cannot do that.
    private func makeUnnamed(_ key: borrowing SecureBuffer) throws(StorageFault) -> Bool? {
        let file: FileHandle
        do throws(SystemError) {
            file = try fileSystem.openUnnamed(in: directory)
        } catch {
            guard [EOPNOTSUPP, EISDIR, EINVAL, ENOSYS, ENOENT].contains(error.number) else { throw error.fault }
            return nil
        }
        defer { fileSystem.close(file) }
        try fill(file, key)
        do throws(SystemError) {
            try fileSystem.link(file, to: path)
        } catch {
            switch error.number {
            case EEXIST: return false
            case ENOENT, EPERM, EXDEV, EINVAL, EOPNOTSUPP, ENOSYS: return nil
            default: throw error.fault
            }
        }
        return true
    }

    /// Makes the file under another name; what a killed maker left there is used again.
    private func makeNamed(_ key: borrowing SecureBuffer) throws(StorageFault) -> Bool {
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            let file = try openUnfinished()
            defer { fileSystem.close(file) }
            while try isHeld(file) {
                try StorageCancellation.check()
                guard ContinuousClock.now < deadline else { throw .unavailable(.lockTimedOut) }
                pause(for: .milliseconds(1))
            }
            // The holder before may have put it in place.
            guard try isUnfinished(file) else { continue }
            do throws(StorageFault) {
                try faulting { () throws(SystemError) in try fileSystem.setSize(0, of: file) }
                try fill(file, key)
                do throws(SystemError) {
                    try fileSystem.renameExclusively(unfinished, to: path)
                    return true
                } catch {
                    guard error.number == EEXIST else { throw error.fault }
                    try? fileSystem.remove(unfinished)
                    return false
                }
            } catch {
                try? fileSystem.remove(unfinished)
                throw error
            }
        }
    }

    private func openUnfinished() throws(StorageFault) -> FileHandle {
        do throws(SystemError) {
            return try fileSystem.open(unfinished, .create)
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR, EISDIR, ENXIO, ENAMETOOLONG:
                throw .unavailable(.keySourceUnavailable, .errno(error.number))
            default: throw error.fault
            }
        }
    }

    private func isHeld(_ file: FileHandle) throws(StorageFault) -> Bool {
        try faulting { () throws(SystemError) in try !fileSystem.tryLock(file, shared: false) }
    }

    /// Whether the file is the one at its path.
    ///
    /// - Throws: `keySourceUnavailable` when it is somebody's and not what a killed maker left.
    private func isUnfinished(_ file: FileHandle) throws(StorageFault) -> Bool {
        let status = try faulting { () throws(SystemError) in try fileSystem.status(of: file) }
        guard let present = try? fileSystem.status(at: unfinished, followingLink: false), present.isSameFile(as: status)
        else { return false }
        guard status.kind == .regular, status.owner == fileSystem.user, status.mode & 0o077 == 0,
            status.size <= Box.keyLength
        else { throw .unavailable(.keySourceUnavailable) }
        return true
    }

    private func fill(_ file: FileHandle, _ key: borrowing SecureBuffer) throws(StorageFault) {
        let source = unsafe key.address
        try faulting { () throws(SystemError) in
            try fileSystem.setMode(0o600, of: file)
            unsafe try fileSystem.write(file, from: source, count: Box.keyLength, at: 0)
            try fileSystem.sync(file)
        }
    }
}

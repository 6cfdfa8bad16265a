internal import CCredentialShims
internal import Glibc

/// The real file system.
package struct PosixFileSystem: FileSystem {
    package init() {}

    package var user: UInt32 { geteuid() }

    package func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileHandle {
        let flags: Int32 =
            switch access {
            case .read: O_RDONLY
            case .readWrite: O_RDWR
            case .create: O_RDWR | O_CREAT
            case .createNew: O_RDWR | O_CREAT | O_EXCL
            case .directory: O_RDONLY | O_DIRECTORY
            }
        // Directory links are followed; a link in a file's place is not.
        let noFollow = access == .directory ? 0 : ccs_open_nofollow_flags()
        let number = unsafe ccs_open(path, flags | noFollow, 0o600)
        guard number >= 0 else { throw SystemError(errno) }
        ccs_close_in_child(number)
        return FileHandle(number: number)
    }

    package func close(_ file: FileHandle) {
        // In a forked child the number was closed at the fork and may be another file by now.
        guard ForkGuard.isOriginalProcess else { return }
        ccs_close(file.number)
    }

    package func status(of file: FileHandle) throws(SystemError) -> FileStatus {
        var raw = ccs_status()
        try check(unsafe ccs_status_of(file.number, &raw))
        return FileStatus(raw)
    }

    package func status(at path: String, followingLink: Bool) throws(SystemError) -> FileStatus {
        var raw = ccs_status()
        try check(unsafe ccs_status_at(path, followingLink ? 1 : 0, &raw))
        return FileStatus(raw)
    }

    package func sharedPage(of file: FileHandle) -> SharedPage? { SharedPage(descriptor: file.number) }

    package func fileSystemKind(of file: FileHandle) throws(SystemError) -> Int {
        let kind = ccs_file_system_kind(file.number)
        guard kind >= 0 else { throw SystemError(errno) }
        return Int(kind)
    }

    package func setMode(_ mode: UInt32, of file: FileHandle) throws(SystemError) {
        try check(fchmod(file.number, mode))
    }

    package func read(
        _ file: FileHandle,
        into target: UnsafeMutableRawPointer,
        count: Int,
        at offset: Int
    ) throws(SystemError) -> Int {
        let done = unsafe ccs_pread(file.number, target, count, Int64(offset))
        guard done >= 0 else { throw SystemError(errno) }
        return Int(done)
    }

    package func write(
        _ file: FileHandle,
        from source: UnsafeRawPointer,
        count: Int,
        at offset: Int
    ) throws(SystemError) {
        try check(unsafe ccs_pwrite_all(file.number, source, count, Int64(offset)))
    }

    package func setSize(_ size: Int, of file: FileHandle) throws(SystemError) {
        try check(ftruncate(file.number, size))
    }

    package func nextData(_ file: FileHandle, from offset: Int) throws(SystemError) -> Int? {
        let found = ccs_seek_data(file.number, Int64(offset))
        if found >= 0 { return Int(found) }
        switch errno {
        case ENXIO: return nil
        // File systems that know no holes: all of it is data.
        case EINVAL, EOPNOTSUPP: return offset
        default: throw SystemError(errno)
        }
    }

    package func syncData(_ file: FileHandle) throws(SystemError) { try check(fdatasync(file.number)) }

    package func sync(_ file: FileHandle) throws(SystemError) { try check(fsync(file.number)) }

    package func forgetCache(_ file: FileHandle, from offset: Int, count: Int) {
        _ = posix_fadvise(file.number, offset, count, POSIX_FADV_DONTNEED)
    }

    package func openUnnamed(in directory: String) throws(SystemError) -> FileHandle {
        let number = unsafe ccs_open_unnamed(directory)
        guard number >= 0 else { throw SystemError(errno) }
        ccs_close_in_child(number)
        return FileHandle(number: number)
    }

    package func link(_ file: FileHandle, to path: String) throws(SystemError) {
        try check(unsafe ccs_link(file.number, path))
    }

    package func rename(_ source: String, to target: String) throws(SystemError) {
        try check(unsafe Glibc.rename(source, target))
    }

    package func renameExclusively(_ source: String, to target: String) throws(SystemError) {
        try check(unsafe ccs_rename_exclusive(source, target))
    }

    package func link(_ source: String, to target: String) throws(SystemError) {
        try check(unsafe Glibc.link(source, target))
    }

    package func remove(_ path: String) throws(SystemError) { try check(unsafe unlink(path)) }

    package func makeDirectory(_ path: String) throws(SystemError) {
        try check(unsafe mkdir(path, 0o700))
        // The umask can only take bits away; ours may be missing then.
        try check(unsafe chmod(path, 0o700))
    }

    package func removeDirectory(_ path: String) throws(SystemError) { try check(unsafe rmdir(path)) }

    package func tryLock(_ file: FileHandle, shared: Bool) throws(SystemError) -> Bool {
        if flock(file.number, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 { return true }
        if errno == EWOULDBLOCK || errno == EINTR { return false }
        throw SystemError(errno)
    }

    package func unlock(_ file: FileHandle) { _ = flock(file.number, LOCK_UN) }

    package func tryLockByte(_ file: FileHandle, at offset: Int) throws(SystemError) -> Bool {
        if ccs_lock_byte(file.number, Int64(offset)) == 0 { return true }
        if errno == EAGAIN || errno == EACCES || errno == EINTR { return false }
        throw SystemError(errno)
    }

    package func unlockByte(_ file: FileHandle, at offset: Int) {
        // The lock is the parent's, as in `close`.
        guard ForkGuard.isOriginalProcess else { return }
        _ = ccs_unlock_byte(file.number, Int64(offset))
    }

    private func check(_ result: Int32) throws(SystemError) {
        guard result == 0 else { throw SystemError(errno) }
    }
}

extension FileStatus {
    fileprivate init(_ raw: ccs_status) {
        let kind: Kind =
            switch raw.mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        self.init(
            device: raw.device, inode: raw.inode, size: Int(raw.size), kind: kind, mode: raw.mode & 0o7777,
            owner: raw.owner)
    }
}

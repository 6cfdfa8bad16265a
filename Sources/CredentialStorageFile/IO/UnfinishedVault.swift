internal import CredentialStorage
internal import Glibc

/// A vault in the making: how it is told from anything else that may stand at its path, and how it is locked.
///
/// What a killed maker leaves is empty, or a header without a single frame, or bears the mark; and it never has a
/// companion. Everything else belongs to somebody, be it another vault of that name, and is neither removed nor
/// written over.
enum UnfinishedVault {
    /// Stands in the room of header copy 0, behind the header, in a file that is to take the place of a vault.
    ///
    /// It is on the disk before anything else and goes when the file is in its place, so that a copy that somebody made
    /// of a vault never bears it.
    static let mark: [UInt8] = Array("SCV1 unfinished\n".utf8)
    static let markPlace = Layout.headerRoom - 16

    static func isOurs(_ file: FileHandle, at path: String, _ fileSystem: any FileSystem) throws(SystemError) -> Bool {
        let status = try fileSystem.status(of: file)
        guard status.kind == .regular, status.owner == fileSystem.user else { return false }
        do throws(SystemError) {
            _ = try fileSystem.status(at: path + VaultLocation.companionSuffix, followingLink: false)
            return false
        } catch {
            // A name that is too long stands nowhere.
            guard error.isAbsence || error.number == ENAMETOOLONG else { throw error }
        }
        if try isMarked(file, fileSystem) { return true }
        guard status.size <= Layout.initialSize else { return false }
        let bytes = try fileSystem.read(file, count: status.size, at: 0)
        let beginning = bytes.prefix(Layout.magic.count)
        guard beginning.allSatisfy({ $0 == 0 }) || Layout.magic.starts(with: beginning) else { return false }
        return bytes.dropFirst(Layout.logStart).allSatisfy { $0 == 0 }
    }

    static func isMarked(_ file: FileHandle, _ fileSystem: any FileSystem) throws(SystemError) -> Bool {
        try fileSystem.read(file, count: mark.count, at: markPlace) == mark
    }

    /// Takes the mark away from a file that is in its place.
    static func unmark(_ file: FileHandle, _ fileSystem: any FileSystem) throws(SystemError) {
        try fileSystem.write(file, [UInt8](repeating: 0, count: mark.count), at: markPlace)
    }

    /// Throws where what stands at the path keeps a maker from its work; nothing is made or changed.
    static func check(_ location: VaultLocation, _ fileSystem: any FileSystem) throws(StorageFault) {
        let path = location.unfinished
        guard let status = try? fileSystem.status(at: path, followingLink: false) else { return }
        guard status.kind != .symbolicLink, status.owner == fileSystem.user else {
            throw .unavailable(.insecurePermissions)
        }
        guard status.kind == .regular else { throw .conflict }
        let isFree = try faulting { () throws(SystemError) in
            let file = try fileSystem.open(path, .read)
            defer { fileSystem.close(file) }
            return try isOurs(file, at: path, fileSystem)
        }
        guard isFree else { throw .conflict }
    }

    /// Opens the unfinished file, or makes it, and locks it; it is certainly the one at its path then.
    ///
    /// - Throws: `conflict` when somebody's file, or anything but a file, stands there; `lockTimedOut` when another
    ///   maker is at work.
    static func lock(
        _ location: VaultLocation,
        _ fileSystem: any FileSystem,
        until deadline: ContinuousClock.Instant
    ) throws(StorageFault) -> FileHandle {
        while true {
            let (file, isNew) = try open(location.unfinished, fileSystem)
            do throws(StorageFault) {
                try FileSystemKind.check(file, fileSystem)
                try FileLock.wait(until: deadline) { () throws(SystemError) in
                    try fileSystem.tryLock(file, shared: false)
                }
                if try isAtPath(file, location.unfinished, fileSystem) {
                    let isFree = try faulting { () throws(SystemError) in
                        try isOurs(file, at: location.unfinished, fileSystem)
                    }
                    guard isFree else { throw .conflict }
                    do throws(SystemError) { try fileSystem.setMode(0o600, of: file) } catch {
                        try? fileSystem.remove(location.unfinished)
                        throw error.fault
                    }
                    return file
                }
            } catch {
                if isNew { remove(file, location, fileSystem, isOurs: true) }
                fileSystem.close(file)
                throw error
            }
            fileSystem.close(file)
        }
    }

    /// Opens what stands at the path, or makes a file there.
    private static func open(
        _ path: String,
        _ fileSystem: any FileSystem
    ) throws(StorageFault) -> (FileHandle, isNew: Bool) {
        do throws(SystemError) {
            do throws(SystemError) { return (try fileSystem.open(path, .createNew), true) } catch {
                guard error.isPresence else { throw error }
                return (try fileSystem.open(path, .create), false)
            }
        } catch {
            switch error.number {
            // A directory, a socket or a device without a driver.
            case EISDIR, ENXIO, ENODEV: throw .conflict
            default: throw VaultOpening.meaning(of: error)
            }
        }
    }

    /// Removes the file at the path if it is one in the making, and nobody else holds its lock.
    static func remove(
        _ file: FileHandle,
        _ location: VaultLocation,
        _ fileSystem: any FileSystem,
        isOurs isKnown: Bool = false
    ) {
        guard (try? fileSystem.tryLock(file, shared: false)) == true,
            isKnown || (try? isOurs(file, at: location.unfinished, fileSystem)) == true,
            (try? isAtPath(file, location.unfinished, fileSystem)) == true
        else { return }
        try? fileSystem.remove(location.unfinished)
    }

    private static func isAtPath(
        _ file: FileHandle,
        _ path: String,
        _ fileSystem: any FileSystem
    ) throws(StorageFault) -> Bool {
        let mine = try faulting { () throws(SystemError) in try fileSystem.status(of: file) }
        guard mine.kind == .regular else { throw .conflict }
        guard mine.owner == fileSystem.user else { throw .unavailable(.insecurePermissions) }
        guard let present = try? fileSystem.status(at: path, followingLink: false) else { return false }
        return present.isSameFile(as: mine)
    }
}

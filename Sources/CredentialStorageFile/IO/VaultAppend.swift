internal import CredentialStorage
internal import Glibc

/// Puts a commit behind the log: room, bytes, sync; and what to do when one of them fails.
struct VaultAppend {
    let fileSystem: any FileSystem
    let session: VaultSession

    /// Room that only removals may use, so that a full disk can still delete: enough for each entry, up to a limit.
    static func reserve(for entries: Int) -> Int { min(max(4096, entries * Layout.minimumFrame), 1 << 20) }

    /// Writes and syncs; when it returns, the commit survives a power cut.
    ///
    /// - Parameters:
    ///   - bytes: The frames of one commit.
    ///   - reserve: Room that must be left behind it.
    /// - Throws: `notConfirmed` when nobody can tell what is on the disk; after any other error the old state is.
    func write(_ bytes: [UInt8], reserve: Int) throws(StorageFault) {
        let offset = session.position.offset
        try syncDirectoryOnce()
        try makeRoom(for: offset + bytes.count + Layout.block + reserve)
        do throws(SystemError) {
            try fileSystem.write(session.file, bytes, at: offset)
        } catch {
            // Nothing was acknowledged; what was written of it must not be read as a commit later.
            if !isUntouched(offset..<offset + bytes.count) { try erase(offset..<offset + bytes.count) }
            throw error.fault
        }
        do throws(SystemError) {
            try fileSystem.syncData(session.file)
        } catch {
            try erase(offset..<offset + bytes.count)
            throw .unavailable(.ioError, .errno(error.number))
        }
    }

    /// Whether a write that failed left the room as it was: then there is nothing to take back.
    private func isUntouched(_ range: Range<Int>) -> Bool {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 16) {
            let count = min(1 << 16, range.upperBound - start)
            guard let bytes = try? fileSystem.read(session.file, count: count, at: start) else { return false }
            guard bytes.allSatisfy({ $0 == 0 }) else { return false }
        }
        return true
    }

    /// A killed maker may have left the rename that put this file here unsynced.
    func syncDirectoryOnce() throws(StorageFault) {
        guard !session.isDirectorySynced else { return }
        let directory = session.location.directory
        try faulting { () throws(SystemError) in try syncDirectory(directory, fileSystem) }
        session.isDirectorySynced = true
    }

    /// Extends the file by zeros, synced before they are used: a frame that the end of the file cuts is damage then,
    /// never an unfinished write; and a sync of a write into room that is there has no size to record.
    private func makeRoom(for end: Int) throws(StorageFault) {
        guard end > session.size else { return }
        // Another process may have made room, and filled it; zeros must never go over that.
        let size = try faulting { () throws(SystemError) in try fileSystem.status(of: session.file).size }
        session.size = size
        guard end > size else { return }
        guard end <= Layout.maximumFileSize else { throw .unavailable(.noSpace) }
        let sector = Layout.sector
        let needed = (end + sector - 1) / sector * sector
        let wished = max(needed, (size + min(max(size / 8, 1 << 16), 1 << 20)) / sector * sector)
        do throws(SystemError) {
            try extend(from: size, to: wished)
        } catch {
            guard wished > needed, error.isShortage else { throw error.fault }
            try faulting { () throws(SystemError) in try extend(from: size, to: needed) }
        }
    }

    private func extend(from size: Int, to end: Int) throws(SystemError) {
        do throws(SystemError) {
            try fileSystem.writeZeros(session.file, size..<end)
            try fileSystem.syncData(session.file)
        } catch {
            try? fileSystem.setSize(size, of: session.file)
            throw error
        }
        session.size = end
    }

    /// Takes back a write of which nobody knows how much reached the disk.
    ///
    /// - Throws: `notConfirmed` when that fails too; nothing more is appended to this file then.
    private func erase(_ range: Range<Int>) throws(StorageFault) {
        do throws(SystemError) {
            let end = min(range.upperBound, session.size)
            try fileSystem.erase(session.file, range.lowerBound..<end)
            try fileSystem.syncData(session.file)
        } catch {
            session.isPoisoned = true
            // What memory holds is not what is on the disk; later reads are to see the disk.
            fileSystem.forgetCache(session.file, from: range.lowerBound, count: range.count)
            throw .unavailable(.notConfirmed, .errno(error.number))
        }
    }
}

extension FileSystem {
    /// Writes zeros over what must never be read, its first block last.
    ///
    /// Whoever is stopped on the way leaves that block, and whoever opens the vault next looks at it.
    func erase(_ file: FileHandle, _ range: Range<Int>) throws(SystemError) {
        let second = min(range.lowerBound + Layout.block, range.upperBound)
        try writeZeros(file, second..<range.upperBound)
        try writeZeros(file, range.lowerBound..<second)
    }
}

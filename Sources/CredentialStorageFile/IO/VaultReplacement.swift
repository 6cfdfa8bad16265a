internal import CredentialStorage

/// A whole new vault file that is to take the place of the present one.
///
/// Nothing touches the present one before the rename. The lock of the new file is held from its making on, so that it
/// is the vault's own lock at the moment of the rename, and nobody writes to it before its maker lets go.
final class VaultReplacement {
    let file: FileHandle
    let location: VaultLocation
    private let fileSystem: any FileSystem
    private var isEnded = false
    private var isInPlace = false
    private var isHandedOver = false

    /// Makes the file, which is known for unfinished from the first byte on.
    ///
    /// - Throws: `lockTimedOut` when another maker is at work until the deadline, `conflict` when somebody's file
    ///   stands in the way.
    static func begin(
        _ location: VaultLocation,
        _ fileSystem: any FileSystem,
        until deadline: ContinuousClock.Instant
    ) throws(StorageFault) -> VaultReplacement {
        let file = try UnfinishedVault.lock(location, fileSystem, until: deadline)
        let replacement = VaultReplacement(file, location, fileSystem)
        do throws(SystemError) {
            var beginning = [UInt8](repeating: 0, count: UnfinishedVault.markPlace)
            beginning += UnfinishedVault.mark
            beginning += [UInt8](repeating: 0, count: Layout.logStart - beginning.count)
            try fileSystem.setSize(0, of: file)
            try fileSystem.write(file, beginning, at: 0)
            try fileSystem.sync(file)
            return replacement
        } catch {
            replacement.end()
            throw error.fault
        }
    }

    private init(_ file: FileHandle, _ location: VaultLocation, _ fileSystem: any FileSystem) {
        self.file = file
        self.location = location
        self.fileSystem = fileSystem
    }

    deinit { end() }

    /// Removes what did not get into its place.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        if !isInPlace { try? fileSystem.remove(location.unfinished) }
        if !isHandedOver { fileSystem.close(file) }
    }

    /// Writes the header and the room behind the log, and makes all of it durable.
    ///
    /// - Parameters:
    ///   - copy: One header copy.
    ///   - end: Where the log ends.
    ///   - reserve: Room that is to stay for removals.
    /// - Throws: `noSpace` when the disk cannot hold it.
    func finish(header copy: [UInt8], end: Int, reserve: Int) throws(StorageFault) {
        // The mark stays until the file is in its place; a header that needs its room has eight slots of great length.
        guard copy[UnfinishedVault.markPlace...].allSatisfy({ $0 == 0 }) else { throw .unsupported }
        var marked = copy
        marked.replaceSubrange(UnfinishedVault.markPlace..., with: UnfinishedVault.mark)
        try faulting { () throws(SystemError) in
            try fileSystem.write(file, marked + copy, at: 0)
            try makeRoom(behind: end, reserve: reserve)
            try fileSystem.sync(file)
        }
    }

    private func makeRoom(behind end: Int, reserve: Int) throws(SystemError) {
        let sector = Layout.sector
        let needed = (end + Layout.block + sector - 1) / sector * sector
        let spare = min(end / 8, 1 << 20)
        let wished = max(Layout.initialSize, (needed + reserve + spare) / sector * sector)
        do throws(SystemError) {
            try fileSystem.writeZeros(file, end..<wished)
        } catch {
            guard error.isShortage else { throw error }
            try fileSystem.writeZeros(file, end..<needed)
            try fileSystem.setSize(needed, of: file)
        }
    }

    /// Puts the file where the vault is.
    ///
    /// From here on it is the vault, whatever happens next.
    ///
    /// - Returns: Whether the directory could be synced; if not, nothing may be answered before that was made up for.
    func moveIntoPlace() throws(StorageFault) -> Bool {
        try faulting { () throws(SystemError) in try fileSystem.rename(location.unfinished, to: location.vault) }
        isInPlace = true
        do throws(SystemError) {
            try syncDirectory(location.directory, fileSystem)
            return true
        } catch {
            return false
        }
    }

    /// Gives the locked file to whoever uses the vault from now on, and closes it.
    func handOver() -> FileHandle {
        isHandedOver = true
        return file
    }
}

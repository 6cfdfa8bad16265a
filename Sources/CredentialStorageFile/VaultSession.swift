internal import CredentialStorage
internal import CredentialStorageSealing

/// An open vault: one inode, its keys, and what is known of its log.
///
/// Shared between threads under the engine's lock: reading members run under its read side, the others under its
/// write side. That lock is the access check, which would cost a read more than the rest of the look-up.
final class VaultSession {
    let file: FileHandle
    let location: VaultLocation
    let fileSystem: any FileSystem
    let isWritable: Bool
    let keys: VaultKeys
    let masterKey: SharedSecret
    let bootTag: Bytes16
    let arena: SecureArena
    let bytes: VaultBytes
    /// `nil` where none can be made, such as on read-only media.
    let companion: CompanionFile?

    @safe @exclusivity(unchecked) var status: FileStatus
    @safe @exclusivity(unchecked) var header: VaultHeader
    /// The slot that opened the vault.
    @safe @exclusivity(unchecked) var slot: SlotRecord
    /// Whether the next writer has to make the copies of the header the same.
    @safe @exclusivity(unchecked) var wantsHeaderMended: Bool
    @safe @exclusivity(unchecked) var headerCopies: [Bool]
    @safe @exclusivity(unchecked) var table = EntryTable()
    @safe @exclusivity(unchecked) var position: LogPosition
    @safe @exclusivity(unchecked) var word: UInt64 = 0
    /// What was read behind the last frame; not zeros only where a torn write cannot be mended.
    @safe @exclusivity(unchecked) var tailBlock = VaultSession.emptyBlock
    /// Whether the companion bore witness to a newer state when the log was read.
    @safe @exclusivity(unchecked) var isRolledBack = false
    /// The size of the file.
    ///
    /// Like the three below, only the holder of the turn touches it.
    @safe @exclusivity(unchecked) var size: Int
    @safe @exclusivity(unchecked) var isDirectorySynced = false
    /// Whether all of the room was looked at, and not only its first block.
    ///
    /// Something that a power cut or a failed write left may stand further behind.
    @safe @exclusivity(unchecked) var isRoomKnown = false
    /// Set when a failed sync could not be undone: nothing more is appended to this inode.
    @safe @exclusivity(unchecked) var isPoisoned = false

    init(
        file: FileHandle, location: VaultLocation, status: FileStatus, isWritable: Bool, unlocked: UnlockedVault,
        companion: CompanionFile?,
        fileSystem: any FileSystem, arena: SecureArena
    ) throws(StorageFault) {
        bytes = try VaultBytes(file, size: status.size, fileSystem: fileSystem)
        self.file = file
        self.location = location
        self.status = status
        self.isWritable = isWritable
        self.fileSystem = fileSystem
        self.companion = companion
        self.arena = arena
        keys = unlocked.keys
        masterKey = unlocked.masterKey
        slot = unlocked.slot
        header = unlocked.header
        headerCopies = unlocked.headerCopies
        wantsHeaderMended = unlocked.wantsHeaderMended
        position = LogPosition(startOf: unlocked.header)
        size = status.size
        bootTag = MachineID.bootTag(fileSystem)
    }

    deinit { fileSystem.close(file) }

    /// Whether only this user can read the file; a looser one may lose entries, and gives none.
    var isPrivate: Bool { status.mode & 0o077 == 0 }

    func checkPrivate() throws(StorageFault) {
        guard isPrivate else { throw .unavailable(.insecurePermissions) }
    }

    func scanner() -> LogScanner<VaultBytes> {
        let (keys, logID) = (keys, header.logID)
        var searches = 0
        return LogScanner(bytes) { head, offset in
            keys.isAuthentic(head, logID: logID, offset: offset)
        } vouch: { [self] (hash, frame) throws(StorageFault) in
            if table.slots[hash] != nil { return true }
            searches += 1
            let effort = searches <= Self.longestSearches ? NameRecovery.Effort.changedNonce : .asIs
            return try name(at: frame.lowerBound, room: frame.count, hash, effort) != nil
        }
    }

    /// How many destroyed heads a scan searches for a name under single changed bytes; a hostile file has many.
    private static let longestSearches = 32

    func apply(_ result: ScanResult, log: StorageLog) throws(StorageFault) {
        try table.makeRoom(for: result.items.count)
        for item in result.items {
            table.apply(item)
            if case .damage = item { log.warning("part of the vault is damaged") }
        }
        if result.chainBreaks > 0 { log.warning("the vault was also written to by a copy of it elsewhere") }
        position = result.end
        bytes.forget(from: position.offset)
    }

    /// What the next publication says.
    func record(word: UInt64) -> CompanionRecord {
        CompanionRecord(
            word: word,
            tail: UInt64(position.offset),
            sequence: position.nextSequence &- 1,
            indexOffset: header.indexOffset,
            logID: header.logID,
            fileID: header.fileID,
            headerSequence: header.headerSequence,
            isDirectorySynced: isDirectorySynced,
            lastFrameOffset: UInt64(position.lastFrameOffset),
            lastMAC: position.lastMAC,
            bootTag: bootTag)
    }

    /// Whether a record speaks of this very log.
    func isAbout(_ record: CompanionRecord) -> Bool {
        record.logID == header.logID && record.fileID == header.fileID
    }
}

// The engine's lock guards every member that changes.
extension VaultSession: @unchecked Sendable {}

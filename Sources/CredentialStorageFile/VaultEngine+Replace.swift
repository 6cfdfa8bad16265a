internal import CredentialStorage
internal import CredentialStorageSealing

/// The session whose file's lock is held; another one once the file was replaced.
final class HeldVault {
    fileprivate(set) var session: VaultSession

    init(_ session: VaultSession) { self.session = session }
}

/// What stands in a file that is to become the vault.
struct NewVault {
    let unlocked: UnlockedVault
    let table: EntryTable
    let position: LogPosition
}

extension VaultEngine {
    /// Puts a new file in the place of the one that is held, and goes on with it.
    ///
    /// The caller has the turn and the locks of both files; it has the lock of the new one afterwards.
    ///
    /// - Returns: Whether the new file has certainly taken its place: `false` when the directory could not be synced.
    func replace(
        _ held: HeldVault,
        by replacement: VaultReplacement,
        _ vault: NewVault
    ) throws(StorageFault) -> Bool {
        let old = held.session
        let fresh = try putInPlace(replacement, vault, companion: old.companion)
        fileSystem.unlock(old.file)
        held.session = fresh
        return fresh.isDirectorySynced
    }

    /// Finishes a new file, makes it the vault, tells other processes, and makes it the present session.
    func putInPlace(
        _ replacement: VaultReplacement,
        _ vault: NewVault,
        companion: CompanionFile?
    ) throws(StorageFault) -> VaultSession {
        let unlocked = vault.unlocked
        try replacement.finish(
            header: try SlotCrypto.encode(unlocked.header, masterKey: unlocked.masterKey.bytes),
            end: vault.position.offset, reserve: VaultAppend.reserve(for: vault.table.count))
        let status = try faulting { () throws(SystemError) in try fileSystem.status(of: replacement.file) }
        // Before the rename: what needs memory may fail.
        let session = try VaultSession(
            file: replacement.handOver(), location: replacement.location, status: status, isWritable: true,
            unlocked: unlocked, companion: companion, fileSystem: fileSystem, arena: arena)
        session.table = vault.table
        session.position = vault.position
        session.isRoomKnown = true
        do throws(StorageFault) {
            session.isDirectorySynced = try replacement.moveIntoPlace()
        } catch {
            // While the session still holds the lock: the path is certainly this file's.
            replacement.end()
            throw error
        }
        // It is the vault from here on, so nothing that fails now may be answered as if the old one still were. A mark
        // that stays is harmless, and the next writer takes it away.
        try? UnfinishedVault.unmark(session.file, fileSystem)
        try? session.bytes.load(upTo: vault.position.offset)
        announce(session)
        _ = try? install(session)
        return session
    }

    /// Tells other processes that something changed that no commit tells them.
    func announce(_ session: VaultSession) {
        guard let companion = session.companion else { return }
        let word = (companion.word() ?? 0) &+ 1
        do throws(StorageFault) {
            try companion.publish(session.record(word: word), session.keys)
            session.word = word
        } catch {
            // Who looks at the path finds the new file within a moment all the same.
            options.log.warning("the companion file could not be written")
        }
    }
}

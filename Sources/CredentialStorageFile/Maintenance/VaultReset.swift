internal import CredentialStorage
internal import CredentialStorageSealing

/// Puts an empty vault with new keys in the place of one that may be beyond help, and keeps that aside.
struct VaultReset {
    let engine: VaultEngine

    private var options: VaultEngine.Options { engine.options }
    private var fileSystem: any FileSystem { options.fileSystem }

    /// Resets the vault; nothing of the old one is opened, so that a lost key does not matter.
    ///
    /// - Returns: The name that the old file is kept under, or `nil` when there is no vault.
    /// - Throws: `conflict` when the file at the path is replaced again and again.
    func run() throws(StorageFault) -> String? {
        try engine.checkUsable()
        guard !engine.isClosed else { throw .unavailable(.closed) }
        let location = try engine.location()
        guard let present = try opening.openVaultFile(location) else { return nil }
        fileSystem.close(present.file)
        let key = try NewKey(
            from: options.keySource, for: .create, isMachineBound: options.accessibility != nil, engine)
        let replacement = try VaultReplacement.begin(location, fileSystem, until: .now + options.deadline)
        defer { replacement.end() }
        do throws(StorageFault) {
            let (header, masterKey) = try FreshHeader(engine: engine).make(with: key)
            let aside = try engine.queue.alone { () throws(StorageFault) -> String? in
                guard let old = try lockPresent(location) else { return nil }
                defer { fileSystem.close(old) }
                return try replace(location, with: replacement, header, masterKey)
            }
            if aside == nil { key.takeBack(after: nil) }
            return aside
        } catch {
            // A new key in the place of a lost one would make the old vault look like one under another key.
            key.takeBack(after: error)
            throw error
        }
    }

    private var opening: VaultOpening { VaultOpening(engine: engine, known: nil) }

    /// The file at the vault's path, locked, so that no write to it is under way.
    private func lockPresent(_ location: VaultLocation) throws(StorageFault) -> FileHandle? {
        let deadline = ContinuousClock.now + options.deadline
        while true {
            guard let present = try opening.openVaultFile(location) else { return nil }
            do throws(StorageFault) {
                try FileLock.wait(until: deadline) { () throws(SystemError) in
                    try fileSystem.tryLock(present.file, shared: false)
                }
            } catch {
                fileSystem.close(present.file)
                throw error
            }
            if let now = try? fileSystem.status(at: location.vault, followingLink: false),
                now.isSameFile(as: present.status)
            {
                return present.file
            }
            fileSystem.close(present.file)
        }
    }

    private func replace(
        _ location: VaultLocation,
        with replacement: VaultReplacement,
        _ header: VaultHeader,
        _ masterKey: SharedSecret
    ) throws(StorageFault) -> String {
        let companion = try opening.openCompanion(location)
        let dataKey = try SlotCrypto.unwrapDataKey(header, masterKey: masterKey.bytes)
        let keys = try VaultKeys(
            dataKey: dataKey, fileID: header.fileID, dataKeyNumber: header.dataKeyNumber, arena: engine.arena)
        let unlocked = UnlockedVault(
            header: header, headerCopies: [true, true], wantsHeaderMended: false, masterKey: masterKey, keys: keys,
            slot: header.slots[0])
        let aside = try KeptAside.keep(location, fileSystem)
        let vault = NewVault(unlocked: unlocked, table: EntryTable(), position: LogPosition(startOf: header))
        let session: VaultSession
        do throws(StorageFault) {
            session = try engine.putInPlace(replacement, vault, companion: companion)
        } catch {
            aside.takeBack(location, fileSystem)
            throw error
        }
        fileSystem.unlock(session.file)
        // After a power cut the old file might be back.
        guard session.isDirectorySynced else { throw .unavailable(.notConfirmed) }
        return aside.name
    }
}

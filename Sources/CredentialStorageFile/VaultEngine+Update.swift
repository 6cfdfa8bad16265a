internal import CredentialStorage
internal import CredentialStorageSealing
internal import FoundationEssentials

extension VaultEngine {
    /// Runs a transaction's body on the caller's thread while nobody else can write, then writes its changes as one commit.
    ///
    /// The body returns whether the changes are to be written.
    func update(
        plaintext: (EntryKey, Span<UInt8>) throws(StorageFault) -> Plaintext,
        _ body: (inout StorageBatch) -> Bool
    ) throws(StorageFault) {
        try checkUsable()
        try queue.alone { () throws(StorageFault) in
            try withWriterLock(creating: .firstWrite) { (held) throws(StorageFault) in
                guard let held else { preconditionFailure("a vault was made") }
                let session = held.session
                try session.checkPrivate()
                var batch = StorageBatch { key in
                    try performing(.read) { () throws(StorageFault) in
                        try session.read(key)?.copiedValue()
                    }
                }
                guard body(&batch) else { return }
                var commit = Commit(session)
                for change in batch.changes {
                    var sealed: Plaintext?
                    if let value = change.value { sealed = try plaintext(change.key, value.span) }
                    try commit.put(change.key, sealed)
                }
                try append(commit, to: held)
            }
        }
        compactIfWasteful()
    }

    /// Takes a named lock: one byte of the companion, owned by an open file of its own.
    func acquireLock(_ name: EntryKey, timeout: Duration) throws(StorageFault) -> StorageLock {
        try checkUsable()
        guard !isClosed else { throw .unavailable(.closed) }
        let location = try location()
        let deadline = ContinuousClock.now + timeout
        return try PrivateDirectory.making(location.directory, fileSystem) { () throws(StorageFault) in
            try PrivateDirectory.check(location.directory, fileSystem)
            return try acquireLock(name, until: deadline, location)
        }
    }

    private func acquireLock(
        _ name: EntryKey,
        until deadline: ContinuousClock.Instant,
        _ location: VaultLocation
    ) throws(StorageFault) -> StorageLock {
        while true {
            let companion = try CompanionFile.open(location.companion, fileSystem)
            let offset = NamedLockPlace.offset(of: name)
            try FileLock.wait(until: deadline, longestNap: .milliseconds(5)) { () throws(SystemError) in
                try fileSystem.tryLockByte(companion.file, at: offset)
            }
            // A lock on a file that is no longer at the path excludes nobody.
            if let present = try? fileSystem.status(at: location.companion, followingLink: false),
                present.isSameFile(as: companion.status)
            {
                return StorageLock { [fileSystem, held = Locked<CompanionFile?>(companion)] in
                    held.withLock { companion in
                        if let companion { fileSystem.unlockByte(companion.file, at: offset) }
                        companion = nil
                    }
                }
            }
        }
    }
}

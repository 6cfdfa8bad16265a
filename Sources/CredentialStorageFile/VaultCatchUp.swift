internal import CredentialStorage

/// Brings a session up to the end of its log while the caller holds the file's lock, and mends what a killed writer
/// left: the torn rest of a write that was never acknowledged, and whole writes that were never published.
struct VaultCatchUp {
    let options: VaultEngine.Options

    private var fileSystem: any FileSystem { options.fileSystem }

    func run(_ session: VaultSession, fromStart: Bool) throws(StorageFault) {
        let status = try faulting { () throws(SystemError) in try fileSystem.status(of: session.file) }
        session.status = status
        session.size = status.size
        session.bytes.setSize(status.size)
        if fromStart {
            session.table = EntryTable()
            session.position = LogPosition(startOf: session.header)
            session.bytes.forget(from: 0)
        }
        session.bytes.forget(from: session.position.offset)
        try session.bytes.load(upTo: status.size)

        let record = session.companion?.record(session.keys).flatMap { session.isAbout($0) ? $0 : nil }
        let published = record.map { Int($0.tail) }
        let result = try session.scanner().readAll(from: session.position, published: published)
        if let record, result.isShort || record.sequence > result.end.nextSequence &- 1 {
            session.isRolledBack = true
            options.log.warning("the vault is older than it was when it was last used")
        }
        if let record, record.headerSequence > session.header.headerSequence {
            session.isRolledBack = true
            options.log.warning("the header is older than it was: a key that was removed may open the vault")
        }
        try session.apply(result, log: options.log)
        session.isDirectorySynced = record?.isDirectorySynced ?? false
        session.word = session.companion?.word() ?? 0
        if session.isWritable { try mend(session, result, published: published) }
        session.isRoomKnown = true
        // Not zeros where a torn write could not be mended, and short where the file was cut.
        session.tailBlock = session.readTailBlock() ?? []
        // A reader leaves a record that bears witness to a newer state alone, so that every opener is told.
        if session.isWritable, !session.isRolledBack { try publish(session, after: record) }
    }

    private func mend(_ session: VaultSession, _ result: ScanResult, published: Int?) throws(StorageFault) {
        if let torn = result.torn {
            try faulting { () throws(SystemError) in
                let end = max(torn.lowerBound, min(torn.upperBound, session.size))
                try fileSystem.erase(session.file, torn.lowerBound..<end)
                try fileSystem.syncData(session.file)
            }
            options.log.warning("the rest of an unfinished write was removed")
        }
        // Whoever put this file in its place was stopped before it could take the mark away.
        if (try? UnfinishedVault.isMarked(session.file, fileSystem)) == true {
            try? UnfinishedVault.unmark(session.file, fileSystem)
        }
        // Damage behind the last frame is not written again: it may be as long as a hostile file likes.
        let end = result.endOfLastFrame ?? 0
        let begin = published ?? result.startOfLastCommit ?? end
        if begin > 0, begin < end, end <= session.size {
            // Its writer may have died after a failed sync, which leaves pages that look clean and are not on the disk.
            try faulting { () throws(SystemError) in
                var offset = begin
                while offset < end {
                    let bytes = try fileSystem.read(session.file, count: min(1 << 20, end - offset), at: offset)
                    guard !bytes.isEmpty else { break }
                    try fileSystem.write(session.file, bytes, at: offset)
                    offset += bytes.count
                }
                try fileSystem.syncData(session.file)
            }
        }
    }

    private func publish(_ session: VaultSession, after record: CompanionRecord?) throws(StorageFault) {
        guard let companion = session.companion else { return }
        let next = session.record(word: session.word)
        guard record != next else { return }
        let word = session.word &+ 1
        do throws(StorageFault) {
            try companion.publish(session.record(word: word), session.keys)
            session.word = word
        } catch {
            // Readers look at the file itself then; nothing is lost.
            options.log.warning("the companion file could not be written")
        }
    }
}

internal import CredentialStorage
internal import CredentialStorageSealing

/// Writes what opens of a damaged vault into a new file, and keeps the old one aside.
struct VaultRepair {
    let engine: VaultEngine

    private var options: VaultEngine.Options { engine.options }
    private var fileSystem: any FileSystem { options.fileSystem }

    /// Repairs the vault, or answers `nil` when there is none.
    func run() throws(StorageFault) -> RepairReport? {
        try engine.checkUsable()
        guard let found = try VaultVerifier(engine: engine).run() else { return nil }
        if found.isSound {
            return try engine.read { session in session.map { RepairReport(kept: $0.table.count) } }
        }
        guard found.isWanting else { return try locked { held in accept(held.session) } }
        let location = try engine.location()
        let replacement = try VaultReplacement.begin(location, fileSystem, until: .now + options.deadline)
        defer { replacement.end() }
        return try locked { (held) throws(StorageFault) in
            // Another repair may have been faster.
            let now = try VaultVerifier(engine: engine).look(beside: held.session)
            guard now?.isWanting ?? true else { return accept(held.session) }
            return try repair(held, with: replacement)
        }
    }

    private func locked(
        _ body: (HeldVault) throws(StorageFault) -> RepairReport
    ) throws(StorageFault) -> RepairReport? {
        try engine.queue.alone { () throws(StorageFault) in
            // A copy of the header that is damaged is kept aside with the rest of the file.
            try engine.withWriterLock(creating: nil, mendingHeader: false) {
                (held) throws(StorageFault) -> RepairReport? in
                guard let held else { return nil }
                try held.session.checkPrivate()
                return try body(held)
            }
        }
    }

    /// That the vault is older than it was is accepted, where it is.
    private func accept(_ session: VaultSession) -> RepairReport {
        var report = RepairReport(kept: session.table.count)
        guard session.isRolledBack else { return report }
        report.wasRolledBack = true
        engine.state.write { _ in session.isRolledBack = false }
        engine.announce(session)
        return report
    }

    private func repair(_ held: HeldVault, with replacement: VaultReplacement) throws(StorageFault) -> RepairReport {
        let old = held.session
        var report = RepairReport(lost: old.table.lost, wasRolledBack: old.isRolledBack)
        var header = try engine.provenHeader(old)
        header.logID = try options.randomness.id()
        header.headerSequence &+= 1
        header.indexOffset = 0
        // Beyond everything that was ever published of this vault, also where the newest of it is gone.
        let published = old.companion?.record(old.keys).map { old.isAbout($0) ? $0.sequence : 0 } ?? 0
        header.baseSequence = max(old.position.nextSequence &- 1, published)
        var copy = LogCopy(
            of: LogSnapshot(old), into: replacement.file, header: header, keys: old.keys,
            randomness: options.randomness)
        for entry in try copy.copyWhatOpens() {
            report.omitted.append(
                OmittedEntry(key: try old.name(of: entry.slot, entry.hash)?.name, reason: .damaged))
        }
        report.kept = copy.table.count
        let aside = try KeptAside.keep(replacement.location, fileSystem)
        report.keptAside = aside.name
        let unlocked = UnlockedVault(
            header: header, headerCopies: [true, true], wantsHeaderMended: false, masterKey: old.masterKey,
            keys: old.keys, slot: old.slot)
        let vault = NewVault(unlocked: unlocked, table: copy.table, position: copy.position)
        let isCertain: Bool
        do throws(StorageFault) {
            isCertain = try engine.replace(held, by: replacement, vault)
        } catch {
            aside.takeBack(replacement.location, fileSystem)
            throw error
        }
        // After a power cut the damaged file might be back.
        guard isCertain else { throw .unavailable(.notConfirmed) }
        report.omitted = BulkRead(entries: [], omitted: report.omitted).omitted
        BulkRead(entries: [], omitted: report.omitted, lost: report.lost).report(to: options.log)
        return report
    }
}

extension VaultReport {
    /// Whether the file is not as it should be, be it that nothing is lost.
    fileprivate var isWanting: Bool {
        damaged > 0 || lost > 0 || headerCopies.contains(false) || headerCopiesDiffer
    }
}

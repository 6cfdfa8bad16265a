internal import CredentialStorage
internal import CredentialStorageSealing

/// How the header and the keys of a rewritten vault come from those of the present one.
struct HeaderRenewal {
    let keys: VaultKeys
    let masterKey: SharedSecret
    /// Everything but what belongs to the log; the present header may be newer than the one that was known at first.
    let renew: (VaultHeader) throws(StorageFault) -> VaultHeader

    /// Nothing changes.
    static func none(_ session: VaultSession) -> HeaderRenewal {
        HeaderRenewal(keys: session.keys, masterKey: session.masterKey, renew: { $0 })
    }
}

/// Writes the entries of a vault into a new file and puts that in its place.
///
/// Most of it is done while others write: only what they wrote meanwhile is copied under the lock. It never goes over
/// damage: what could not be opened would be gone with the old file.
struct VaultRewriting {
    let engine: VaultEngine
    /// How long other processes may keep this one waiting, each time.
    let patience: Duration
    var progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }

    private var fileSystem: any FileSystem { engine.options.fileSystem }

    /// Another process may replace the file between the first look and the lock that keeps it from doing so.
    private static let attempts = 8

    /// Rewrites the vault, whoever else uses it.
    ///
    /// - Parameter renewal: Makes the new keys from the session that is to be rewritten.
    /// - Returns: Whether the new file has certainly taken the place of the old one, or `nil` when there is no vault.
    /// - Throws: `damaged` when something does not open; the vault is unchanged then, as it is after any other error.
    func run(
        _ renewal: (VaultSession) throws(StorageFault) -> HeaderRenewal
    ) throws(StorageFault) -> Bool? {
        for _ in 0..<Self.attempts {
            guard try engine.read({ $0 != nil }) else { return nil }
            let location = try engine.location()
            let replacement = try VaultReplacement.begin(location, fileSystem, until: .now + patience)
            defer { replacement.end() }
            let snapshot = try engine.read { (session) throws(StorageFault) in session.map(LogSnapshot.init) }
            guard let snapshot else { return nil }
            let renewal = try renewal(snapshot.session)
            var copy = try copy(snapshot, into: replacement, renewal)
            try faulting { () throws(SystemError) in try fileSystem.sync(replacement.file) }
            let isDone = try engine.queue.alone { () throws(StorageFault) in
                try engine.withWriterLock(creating: nil, patience: patience) { (held) throws(StorageFault) -> Bool? in
                    guard let held, held.session.header.logID == snapshot.header.logID,
                        held.session.header.fileID == snapshot.header.fileID
                    else { return nil }
                    return try finish(&copy, replacement, renewal, held)
                }
            }
            if let isDone { return isDone }
        }
        throw .conflict
    }

    /// The same while the caller holds the vault's lock: nothing is waited for.
    func run(holding held: HeldVault) throws(StorageFault) {
        try held.session.checkPrivate()
        let replacement = try VaultReplacement.begin(held.session.location, fileSystem, until: .now)
        defer { replacement.end() }
        let renewal = HeaderRenewal.none(held.session)
        var copy = try copy(LogSnapshot(held.session), into: replacement, renewal)
        _ = try finish(&copy, replacement, renewal, held)
    }

    private func copy(
        _ snapshot: LogSnapshot,
        into replacement: VaultReplacement,
        _ renewal: HeaderRenewal
    ) throws(StorageFault) -> LogCopy {
        guard !snapshot.table.isDamaged else { throw .damaged }
        var header = try renewal.renew(snapshot.header)
        header.logID = try engine.options.randomness.id()
        // Numbers go on, so that whoever knew the old file sees that the new one is not older.
        header.baseSequence = snapshot.position.nextSequence &- 1
        header.indexOffset = 0
        var copy = LogCopy(
            of: snapshot, into: replacement.file, header: header, keys: renewal.keys,
            randomness: engine.options.randomness)
        try copy.copyEntries(progress)
        return copy
    }

    private func finish(
        _ copy: inout LogCopy,
        _ replacement: VaultReplacement,
        _ renewal: HeaderRenewal,
        _ held: HeldVault
    ) throws(StorageFault) -> Bool {
        let old = held.session
        guard !old.table.isDamaged else { throw .damaged }
        try copy.copyFrames(upTo: old.position)
        // What another process changed in the header may not have been published.
        var header = try renewal.renew(try engine.provenHeader(old))
        header.logID = copy.header.logID
        header.baseSequence = copy.header.baseSequence
        header.indexOffset = 0
        let unlocked = UnlockedVault(
            header: header, headerCopies: [true, true], wantsHeaderMended: false, masterKey: renewal.masterKey,
            keys: renewal.keys, slot: header.slots.first { $0.id == old.slot.id } ?? header.slots[0])
        return try engine.replace(
            held, by: replacement, NewVault(unlocked: unlocked, table: copy.table, position: copy.position))
    }
}

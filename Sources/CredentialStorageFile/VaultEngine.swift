internal import CredentialStorage
internal import CredentialStorageSealing
internal import Glibc
internal import Synchronization

/// Keeps one vault open, and keeps what is known of it equal to what is on the disk.
///
/// Two locks, always in this order: the turn of the commit queue, then the state. Whoever waits for the kernel's
/// lock of the file holds the turn and not the state, so readers never wait for another process's write.
final class VaultEngine: Sendable {
    struct State {
        var session: VaultSession?
        /// Survives reopening, so that a replaced file with the same key does not ask again.
        var masterKey: SharedSecret?
        var isClosed = false
    }

    typealias Options = StorageBuilder.EncryptedFile.Options

    let options: Options
    let queue = CommitQueue()
    let state = ReadWriteLocked(State())
    let arena: SecureArena
    /// When the paths were last compared with what is open, in coarse milliseconds.
    private let lastLook = Atomic<Int64>(0)
    let isCompacting = Atomic(false)
    /// How much waste the next compaction that nobody asked for wants at least.
    let nextCompaction = Atomic(0)

    /// The longest time that a change by a program other than ours stays unseen.
    private static let lookInterval: Int64 = 100

    init(_ options: Options) {
        self.options = options
        arena = SecureArena(options.lockedMemory)
    }

    var fileSystem: any FileSystem { options.fileSystem }

    var isClosed: Bool { state.read { $0.isClosed } }

    func location() throws(StorageFault) -> VaultLocation { try VaultLocation(options) }

    /// Throws where what stands at the companion's name is none, and keeps each operation from its work.
    func checkCompanion(_ location: VaultLocation) throws(StorageFault) {
        do throws(StorageFault) {
            try CompanionFile.check(location.companion, fileSystem)
        } catch {
            guard CompanionFile.isDispensable(after: error) else { throw error }
        }
    }

    /// What every operation asks first.
    func checkUsable() throws(StorageFault) {
        try ForkGuard.check()
        try StorageCancellation.check()
        guard options.accessibility == .whenUnlockedThisDeviceOnly else { return }
        guard let session = options.sessionState else { throw .unavailable(.sessionStateUnknown) }
        let isLocked: Bool
        do {
            isLocked = try session.isLocked()
        } catch {
            throw .unavailable(.sessionStateUnknown)
        }
        if isLocked { throw .unavailable(.sessionLocked) }
    }

    /// Runs a body with the vault as it is now on the disk; with `nil` when there is no vault.
    func read<R: ~Copyable>(
        _ body: (VaultSession?) throws(StorageFault) -> R
    ) throws(StorageFault) -> R {
        try checkUsable()
        var refreshed: VaultSession?
        // What was brought up to date within this call is recent enough, so that busy writers cannot keep a reader out;
        // only a file that is replaced again and again takes several rounds.
        for _ in 0..<64 {
            let answer = try state.read { (state) throws(StorageFault) -> R? in
                guard !state.isClosed else { throw .unavailable(.closed) }
                guard let session = state.session, session === refreshed || isCurrent(session) else { return nil }
                try session.checkPrivate()
                return try body(session)
            }
            if let answer { return answer }
            refreshed = try refresh()
            if refreshed == nil { return try body(nil) }
        }
        throw .unavailable(.timedOut)
    }

    /// Whether nothing was published since, and the paths still lead to what is open.
    private func isCurrent(_ session: VaultSession) -> Bool {
        let now = CoarseClock.milliseconds()
        let isDue = now - lastLook.load(ordering: .relaxed) >= Self.lookInterval
        guard let companion = session.companion else {
            // Without a companion nothing tells of a write, so look each time.
            return isSamePlace(session) && session.isLastFrameInPlace && session.readTailBlock() == session.tailBlock
        }
        guard companion.word() ?? 0 == session.word else { return false }
        guard isDue || !session.isPrivate else { return true }
        guard isSamePlace(session), session.isLastFrameInPlace else { return false }
        lastLook.store(now, ordering: .relaxed)
        return true
    }

    /// Whether both paths still lead to the files that are open, and their modes are what they were.
    func isSamePlace(_ session: VaultSession) -> Bool {
        guard let vault = try? fileSystem.status(at: session.location.vault, followingLink: false),
            vault.isSameFile(as: session.status), vault.mode == session.status.mode,
            vault.owner == session.status.owner
        else { return false }
        guard let companion = session.companion else { return true }
        guard let status = try? fileSystem.status(at: session.location.companion, followingLink: false) else {
            return false
        }
        return status.isSameFile(as: companion.status)
    }

    /// Brings what is known up to date.
    ///
    /// - Returns: What is known now, or `nil` when there is no vault.
    private func refresh() throws(StorageFault) -> VaultSession? {
        let known = try state.write { (state) throws(StorageFault) -> VaultSession? in
            guard !state.isClosed else { throw .unavailable(.closed) }
            guard let session = state.session, isSamePlace(session), session.isLastFrameInPlace,
                try session.readPublished(log: options.log)
            else { return nil }
            return session
        }
        if let known {
            lastLook.store(CoarseClock.milliseconds(), ordering: .relaxed)
            return known
        }
        return try queue.alone { () throws(StorageFault) in
            // Another thread may have been faster.
            let present = try state.read { (state) throws(StorageFault) -> VaultSession? in
                guard !state.isClosed else { throw .unavailable(.closed) }
                guard let session = state.session, isCurrent(session), isSamePlace(session) else { return nil }
                return session
            }
            if let present { return present }
            return try reopen()
        }
    }

    /// Opens the vault anew.
    ///
    /// The caller has the turn.
    ///
    /// - Returns: The session, or `nil` when there is no vault.
    @discardableResult
    func reopen() throws(StorageFault) -> VaultSession? {
        let known = try state.read { (state) throws(StorageFault) -> (VaultSession?, SharedSecret?) in
            guard !state.isClosed else { throw .unavailable(.closed) }
            return (state.session, state.masterKey)
        }
        let session = try VaultOpening(engine: self, known: known.1).open()
        if let before = known.0 { compare(session, with: before) }
        return try install(session)
    }

    /// Says what became of the vault that was open before, and keeps what must not be forgotten of it.
    private func compare(_ session: VaultSession?, with before: VaultSession) {
        guard let session else { return options.log.warning("the vault is gone") }
        guard session.header.fileID == before.header.fileID else {
            return options.log.warning("another vault stands in the place of the one that was open")
        }
        if session.status.isSameFile(as: before.status), before.isPoisoned { session.isPoisoned = true }
        if session.position.nextSequence < before.position.nextSequence, !session.isRolledBack {
            session.isRolledBack = true
            options.log.warning("the vault is older than it was when it was last used")
        }
    }

    /// Makes a session the present one.
    func install(_ session: VaultSession?) throws(StorageFault) -> VaultSession? {
        try state.write { (state) throws(StorageFault) in
            guard !state.isClosed else { throw .unavailable(.closed) }
            state.session = session
            if let session { state.masterKey = session.masterKey }
        }
        lastLook.store(CoarseClock.milliseconds(), ordering: .relaxed)
        return session
    }

    func close() {
        state.write { state in
            state.isClosed = true
            state.session = nil
            state.masterKey = nil
        }
    }

    func keyRequest(_ location: VaultLocation) throws(StorageFault) -> KeyRequest {
        KeyRequest(
            service: try ServiceName(checking: options.group ?? options.service),
            environment: options.environment,
            fileSystem: options.fileSystem,
            randomness: options.randomness,
            dataDirectory: location.directory,
            ownFiles: [location.vault, location.companion, location.unfinished])
    }
}

extension VaultSession {
    /// Whether the last known frame is still where it was.
    var isLastFrameInPlace: Bool {
        guard position.lastFrameOffset > 0 else { return isLogInPlace }
        let macOffset = position.lastFrameOffset + FrameHead.macPlace.lowerBound
        guard let mac = try? fileSystem.read(file, count: 8, at: macOffset), mac.count == 8 else { return false }
        return mac.span.load(UInt64.self, at: 0) == position.lastMAC
    }

    /// Whether a copy of the header still names this log.
    private var isLogInPlace: Bool {
        [0, Layout.headerRoom].contains { start in
            guard let id = try? fileSystem.read(file, count: 16, at: start + VaultHeader.logIDPlace), id.count == 16
            else { return false }
            return Bytes16(id.span) == header.logID
        }
    }

    /// The block behind the last known frame: zeros, unless somebody writes or wrote there.
    func readTailBlock() -> [UInt8]? { try? fileSystem.read(file, count: Layout.block, at: position.offset) }

    /// Whether the last known frame is still where it was, and nothing follows it.
    var isTailUnchanged: Bool { isLastFrameInPlace && readTailBlock() == Self.emptyBlock }

    static let emptyBlock = [UInt8](repeating: 0, count: Layout.block)

    /// Reads what other processes published since.
    ///
    /// - Returns: `false` when the file must be looked at as a whole.
    func readPublished(log: StorageLog) throws(StorageFault) -> Bool {
        guard let companion, let record = companion.record(keys), isAbout(record),
            record.headerSequence == header.headerSequence, Int(record.tail) >= position.offset
        else { return false }
        let tail = Int(record.tail)
        if tail > position.offset {
            try bytes.load(upTo: tail)
            guard let result = try scanner().readPublished(from: position, to: tail) else {
                bytes.forget(from: position.offset)
                return false
            }
            try apply(result, log: log)
            tailBlock = Self.emptyBlock
        }
        guard record.lastMAC == position.lastMAC, record.sequence == position.nextSequence &- 1 else { return false }
        word = record.word
        return true
    }
}

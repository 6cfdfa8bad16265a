import CredentialStorage
import Glibc

/// What a call to the disk does, for tests that choose which one fails.
enum DiskCall: Sendable, Equatable {
    case open(String, FileAccess)
    case read
    case write(offset: Int, count: Int)
    case setSize
    case syncData
    case sync
    case openUnnamed
    case link
    case rename
    case renameExclusively
    case remove(String)
    case makeDirectory
    case removeDirectory
    case setMode
    case lock
    case status

    /// Whether the call can change the disk.
    var isChange: Bool {
        switch self {
        case .open(_, let access): access == .create || access == .createNew
        case .write, .setSize, .syncData, .sync, .openUnnamed, .link, .rename, .renameExclusively, .remove,
            .makeDirectory, .removeDirectory, .setMode:
            true
        case .read, .lock, .status: false
        }
    }
}

/// The real file system, with failures where a test wants them.
final class FaultyFileSystem: FileSystem {
    /// What happens instead of a call, or after a part of it.
    enum Fault: Sendable {
        case fails(Int32)
        /// Half of the bytes are written, then the call fails.
        case failsHalfway(Int32)
    }

    private struct State: Sendable {
        var calls = 0
        var decide: @Sendable (_ number: Int, _ call: DiskCall) -> Fault?
        var trace: [DiskCall] = []
        var companions: Set<Int32> = []
        var paths: [Int32: String] = [:]
    }

    /// Paths that seem to belong to somebody else.
    private let foreign: Set<String>
    /// Whether syncs reach the disk; what is read back later in this process does not depend on it.
    private let syncs: Bool
    /// The magic number that every file system seems to have.
    private let kind: Int?

    private let real = PosixFileSystem()
    private let state: Locked<State>

    init(
        foreign: Set<String> = [],
        syncs: Bool = true,
        kind: Int? = nil,
        _ decide: @escaping @Sendable (_ number: Int, _ call: DiskCall) -> Fault? = { _, _ in nil }
    ) {
        self.foreign = foreign
        self.syncs = syncs
        self.kind = kind
        state = Locked(State(decide: decide))
    }

    /// Every call so far.
    var trace: [DiskCall] { state.withLock { $0.trace } }

    /// Starts to count anew, with other faults.
    func restart(_ decide: @escaping @Sendable (_ number: Int, _ call: DiskCall) -> Fault? = { _, _ in nil }) {
        state.withLock {
            $0.calls = 0
            $0.trace = []
            $0.decide = decide
        }
    }

    /// Files whose name ends in `.lock`.
    func isCompanion(_ file: FileHandle) -> Bool { state.withLock { $0.companions.contains(file.number) } }

    private func fault(_ call: DiskCall) -> Fault? {
        let (number, decide) = state.withLock { state in
            if call.isChange { state.calls += 1 }
            if syncs { state.trace.append(call) }
            return (state.calls, state.decide)
        }
        return decide(number, call)
    }

    private func check(_ call: DiskCall) throws(SystemError) {
        switch fault(call) {
        case nil: return
        case .fails(let number), .failsHalfway(let number): throw SystemError(number)
        }
    }

    var user: UInt32 { real.user }

    func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileHandle {
        try check(.open(path, access))
        let file = try real.open(path, access)
        state.withLock { state in
            state.paths[file.number] = path
            if path.hasSuffix(".lock") {
                state.companions.insert(file.number)
            } else {
                state.companions.remove(file.number)
            }
        }
        return file
    }

    func close(_ file: FileHandle) { real.close(file) }

    func status(of file: FileHandle) throws(SystemError) -> FileStatus {
        var status = try real.status(of: file)
        if let path = state.withLock({ $0.paths[file.number] }), foreign.contains(path) { status.owner += 1 }
        return status
    }

    func status(at path: String, followingLink: Bool) throws(SystemError) -> FileStatus {
        try check(.status)
        var status = try real.status(at: path, followingLink: followingLink)
        if foreign.contains(path) { status.owner += 1 }
        return status
    }

    func fileSystemKind(of file: FileHandle) throws(SystemError) -> Int {
        if let kind { return kind }
        return try real.fileSystemKind(of: file)
    }

    func setMode(_ mode: UInt32, of file: FileHandle) throws(SystemError) {
        try check(.setMode)
        try real.setMode(mode, of: file)
    }

    func read(
        _ file: FileHandle,
        into target: UnsafeMutableRawPointer,
        count: Int,
        at offset: Int
    ) throws(SystemError) -> Int {
        try check(.read)
        return try real.read(file, into: target, count: count, at: offset)
    }

    func write(_ file: FileHandle, from source: UnsafeRawPointer, count: Int, at offset: Int) throws(SystemError) {
        switch fault(.write(offset: isCompanion(file) ? -1 : offset, count: count)) {
        case nil: try real.write(file, from: source, count: count, at: offset)
        case .fails(let number): throw SystemError(number)
        case .failsHalfway(let number):
            try real.write(file, from: source, count: count / 2, at: offset)
            throw SystemError(number)
        }
    }

    func setSize(_ size: Int, of file: FileHandle) throws(SystemError) {
        try check(.setSize)
        try real.setSize(size, of: file)
    }

    func nextData(_ file: FileHandle, from offset: Int) throws(SystemError) -> Int? {
        try real.nextData(file, from: offset)
    }

    func syncData(_ file: FileHandle) throws(SystemError) {
        try check(.syncData)
        if syncs { try real.syncData(file) }
    }

    func sync(_ file: FileHandle) throws(SystemError) {
        try check(.sync)
        if syncs { try real.sync(file) }
    }

    func openUnnamed(in directory: String) throws(SystemError) -> FileHandle {
        try check(.openUnnamed)
        return try real.openUnnamed(in: directory)
    }

    func link(_ file: FileHandle, to path: String) throws(SystemError) {
        try check(.link)
        try real.link(file, to: path)
    }

    func rename(_ source: String, to target: String) throws(SystemError) {
        try check(.rename)
        try real.rename(source, to: target)
    }

    func renameExclusively(_ source: String, to target: String) throws(SystemError) {
        try check(.renameExclusively)
        try real.renameExclusively(source, to: target)
    }

    func link(_ source: String, to target: String) throws(SystemError) {
        try check(.link)
        try real.link(source, to: target)
    }

    func forgetCache(_ file: FileHandle, from offset: Int, count: Int) {
        real.forgetCache(file, from: offset, count: count)
    }

    func remove(_ path: String) throws(SystemError) {
        try check(.remove(path))
        try real.remove(path)
    }

    func makeDirectory(_ path: String) throws(SystemError) {
        try check(.makeDirectory)
        try real.makeDirectory(path)
    }

    func removeDirectory(_ path: String) throws(SystemError) {
        try check(.removeDirectory)
        try real.removeDirectory(path)
    }

    func tryLock(_ file: FileHandle, shared: Bool) throws(SystemError) -> Bool {
        let isFree = try real.tryLock(file, shared: shared)
        if isFree { try check(.lock) }
        return isFree
    }

    func unlock(_ file: FileHandle) { real.unlock(file) }

    func unlockByte(_ file: FileHandle, at offset: Int) { real.unlockByte(file, at: offset) }

    func tryLockByte(_ file: FileHandle, at offset: Int) throws(SystemError) -> Bool {
        try real.tryLockByte(file, at: offset)
    }
}

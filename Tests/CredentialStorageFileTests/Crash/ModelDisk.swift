import CredentialStorage
import Glibc

/// A disk in memory that knows what a power cut may leave of it: what was synced, and every change since.
///
/// It can stop at any change: from then on nothing more happens and every call fails, as for a process that was killed.
final class ModelDisk: FileSystem {
    /// Names that change together: in one moment all of them, or none.
    typealias Renaming = [(path: String, file: Int?)]

    struct State: Sendable {
        var files: [Int: File] = [:]
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        var pendingNames: [String: [Renaming]] = [:]
        var open: [Int32: (file: Int, path: String)] = [:]
        var nextFile = 1
        var nextHandle: Int32 = 1000
        var changes = 0
        var stop = Int.max
        var syncs = 0
        /// Which syncs fail, and what decides how much of what they were to write is on the disk all the same.
        var failingSyncs = 0..<0
        var random = PowerCut.Generator(state: 0)
        var isStopped: Bool { changes >= stop }
    }

    let state: Locked<State>

    init(_ files: [String: File]) {
        var state = State()
        for (path, file) in files.sorted(by: { $0.key < $1.key }) {
            var file = file
            (file.durable, file.pending, file.holders) = (file.bytes, [], [])
            state.files[state.nextFile] = file
            state.names[path] = state.nextFile
            state.nextFile += 1
        }
        state.durableNames = state.names
        self.state = Locked(state)
    }

    /// How many changes there were.
    var changes: Int { state.withLock { $0.changes } }

    /// Lets so many more changes happen, the last one only by half.
    func stop(after changes: Int) {
        state.withLock {
            $0.changes = 0
            $0.stop = changes
        }
    }

    /// Lets these of the next syncs fail.
    ///
    /// What a failed sync was to write is on the disk in part; memory holds all of it, and no later sync writes it.
    func failSyncs(_ numbers: Range<Int>, seed: UInt64) {
        state.withLock {
            $0.syncs = 0
            $0.failingSyncs = numbers
            $0.random.state = seed
        }
    }

    var syncs: Int { state.withLock { $0.syncs } }

    func paths() -> [String] { state.withLock { $0.names.keys.sorted() } }

    func bytes(at path: String) -> [UInt8]? {
        state.withLock { state in state.names[path].flatMap { state.files[$0]?.bytes } }
    }

    private func run<R>(_ body: (inout State) throws(SystemError) -> R) throws(SystemError) -> R {
        try state.withLock { (state: inout State) throws(SystemError) -> R in
            guard !state.isStopped else { throw SystemError(EIO) }
            return try body(&state)
        }
    }

    /// A change; the body is told whether it is the last one and must stop halfway.
    private func change<R>(
        _ body: (inout State, _ isLast: Bool) throws(SystemError) -> R
    ) throws(SystemError) -> R {
        try run { (state) throws(SystemError) in
            state.changes += 1
            let isLast = state.isStopped
            let result = try body(&state, isLast)
            if isLast { throw SystemError(EIO) }
            return result
        }
    }

    var user: UInt32 { 1000 }

    func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileHandle {
        try run { (state) throws(SystemError) in
            if let file = state.names[path] {
                guard access != .createNew else { throw SystemError(EEXIST) }
                return Self.handle(file, path, &state)
            }
            guard access == .create || access == .createNew else { throw SystemError(ENOENT) }
            state.changes += 1
            if state.isStopped { throw SystemError(EIO) }
            let file = state.nextFile
            state.nextFile += 1
            state.files[file] = File()
            Self.rename([(path, file)], in: path, &state)
            return Self.handle(file, path, &state)
        }
    }

    private static func handle(_ file: Int, _ path: String, _ state: inout State) -> FileHandle {
        state.nextHandle += 1
        state.open[state.nextHandle] = (file, path)
        return FileHandle(number: state.nextHandle)
    }

    private static func rename(_ renaming: Renaming, in path: String, _ state: inout State) {
        for (path, file) in renaming { state.names[path] = file }
        state.pendingNames[parentDirectory(of: path), default: []].append(renaming)
    }

    func close(_ file: FileHandle) {
        state.withLock { state in
            if let open = state.open.removeValue(forKey: file.number) {
                state.files[open.file]?.holders.remove(file.number)
            }
        }
    }

    private func number(_ file: FileHandle, _ state: State) throws(SystemError) -> Int {
        guard let open = state.open[file.number] else { throw SystemError(EBADF) }
        return open.file
    }

    func status(of file: FileHandle) throws(SystemError) -> FileStatus {
        try run { (state) throws(SystemError) in try Self.status(try number(file, state), state) }
    }

    func status(at path: String, followingLink: Bool) throws(SystemError) -> FileStatus {
        try run { (state) throws(SystemError) in
            guard let file = state.names[path] else { throw SystemError(ENOENT) }
            return try Self.status(file, state)
        }
    }

    private static func status(_ number: Int, _ state: State) throws(SystemError) -> FileStatus {
        guard let file = state.files[number] else { throw SystemError(ENOENT) }
        return FileStatus(
            device: 1, inode: UInt64(number), size: file.bytes.count, kind: file.kind, mode: file.mode, owner: 1000)
    }

    func fileSystemKind(of file: FileHandle) throws(SystemError) -> Int { 0xEF53 }

    func setMode(_ mode: UInt32, of file: FileHandle) throws(SystemError) {
        try run { (state) throws(SystemError) in state.files[try number(file, state)]?.mode = mode }
    }

    func read(
        _ file: FileHandle,
        into target: UnsafeMutableRawPointer,
        count: Int,
        at offset: Int
    ) throws(SystemError) -> Int {
        try run { (state) throws(SystemError) in
            let bytes = state.files[try number(file, state)]?.bytes ?? []
            let done = max(0, min(count, bytes.count - offset))
            if done > 0 {
                bytes.withUnsafeBytes { target.copyMemory(from: $0.baseAddress! + offset, byteCount: done) }
            }
            return done
        }
    }

    func write(_ file: FileHandle, from source: UnsafeRawPointer, count: Int, at offset: Int) throws(SystemError) {
        let bytes = Array(UnsafeRawBufferPointer(start: source, count: count))
        try change { (state, isLast) throws(SystemError) in
            let part = isLast ? Array(bytes.prefix(count / 2)) : bytes
            state.files[try number(file, state)]?.make(.write(offset: offset, bytes: part))
        }
    }

    func setSize(_ size: Int, of file: FileHandle) throws(SystemError) {
        try change { (state, isLast) throws(SystemError) in
            if !isLast { state.files[try number(file, state)]?.make(.size(size)) }
        }
    }

    func nextData(_ file: FileHandle, from offset: Int) throws(SystemError) -> Int? {
        try run { (state) throws(SystemError) in
            offset < state.files[try number(file, state)]?.bytes.count ?? 0 ? offset : nil
        }
    }

    func syncData(_ file: FileHandle) throws(SystemError) { try sync(file) }

    func sync(_ file: FileHandle) throws(SystemError) {
        try change { (state, isLast) throws(SystemError) in
            guard !isLast else { return }
            let number = try number(file, state)
            defer { state.syncs += 1 }
            guard !state.failingSyncs.contains(state.syncs) else {
                var random = state.random
                state.files[number]?.becomePartlyDurable(&random)
                state.random = random
                throw SystemError(EIO)
            }
            state.files[number]?.becomeDurable()
            guard state.files[number]?.kind == .directory, let path = state.open[file.number]?.path else { return }
            for renaming in state.pendingNames.removeValue(forKey: path) ?? [] {
                for (path, file) in renaming { state.durableNames[path] = file }
            }
        }
    }

    func forgetCache(_ file: FileHandle, from offset: Int, count: Int) {
        state.withLock { state in
            guard let open = state.open[file.number] else { return }
            state.files[open.file]?.forget(offset..<offset + count)
        }
    }

    func rename(_ source: String, to target: String) throws(SystemError) {
        try change { (state, isLast) throws(SystemError) in
            guard let file = state.names[source] else { throw SystemError(ENOENT) }
            if !isLast { Self.rename([(source, nil), (target, file)], in: target, &state) }
        }
    }

    func renameExclusively(_ source: String, to target: String) throws(SystemError) {
        if bytes(at: target) != nil { throw SystemError(EEXIST) }
        try rename(source, to: target)
    }

    func link(_ source: String, to target: String) throws(SystemError) {
        try change { (state, isLast) throws(SystemError) in
            guard let file = state.names[source] else { throw SystemError(ENOENT) }
            guard state.names[target] == nil else { throw SystemError(EEXIST) }
            if !isLast { Self.rename([(target, file)], in: target, &state) }
        }
    }

    func openUnnamed(in directory: String) throws(SystemError) -> FileHandle { throw SystemError(EOPNOTSUPP) }

    func link(_ file: FileHandle, to path: String) throws(SystemError) { throw SystemError(EOPNOTSUPP) }

    func removeDirectory(_ path: String) throws(SystemError) { throw SystemError(ENOTEMPTY) }

    func remove(_ path: String) throws(SystemError) {
        try change { (state, isLast) throws(SystemError) in
            guard state.names[path] != nil else { throw SystemError(ENOENT) }
            if !isLast { Self.rename([(path, nil)], in: path, &state) }
        }
    }

    func makeDirectory(_ path: String) throws(SystemError) { throw SystemError(EACCES) }

    func tryLock(_ file: FileHandle, shared: Bool) throws(SystemError) -> Bool {
        try run { (state) throws(SystemError) in
            let number = try number(file, state)
            guard state.files[number]?.holders.subtracting([file.number]).isEmpty == true else { return false }
            state.files[number]?.holders.insert(file.number)
            return true
        }
    }

    func unlock(_ file: FileHandle) {
        state.withLock { state in
            if let open = state.open[file.number] { state.files[open.file]?.holders.remove(file.number) }
        }
    }

    func tryLockByte(_ file: FileHandle, at offset: Int) throws(SystemError) -> Bool { true }
}

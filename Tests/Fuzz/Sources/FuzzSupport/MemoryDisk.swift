internal import Glibc

@testable internal import CredentialStorage

/// Files in memory, as many as a vault needs; nothing fails and nothing is shared.
final class MemoryDisk: FileSystem {
    private struct State {
        var files: [Int: [UInt8]] = [:]
        var names: [String: Int] = [:]
        var open: [Int32: Int] = [:]
        var nextFile = 1
        var nextHandle: Int32 = 1000
    }

    static let directory = "/vault"

    private let state = Locked(State())

    init(_ files: [String: [UInt8]] = [:]) {
        state.withLock { state in
            for (path, bytes) in files { Self.make(path, bytes, &state) }
        }
    }

    subscript(path: String) -> [UInt8]? {
        state.withLock { state in state.names[path].flatMap { state.files[$0] } }
    }

    var paths: Set<String> { state.withLock { Set($0.names.keys) } }

    @discardableResult
    private static func make(_ path: String, _ bytes: [UInt8], _ state: inout State) -> Int {
        let file = state.nextFile
        state.nextFile += 1
        state.files[file] = bytes
        state.names[path] = file
        return file
    }

    private func file(_ handle: FileHandle, _ state: State) throws(SystemError) -> Int {
        guard let file = state.open[handle.number] else { throw SystemError(EBADF) }
        return file
    }

    private func with<R>(
        _ handle: FileHandle,
        _ body: (inout [UInt8]) -> R
    ) throws(SystemError) -> R {
        try state.withLock { (state) throws(SystemError) in
            let file = try file(handle, state)
            return body(&state.files[file, default: []])
        }
    }

    var user: UInt32 { 1000 }

    func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileHandle {
        try state.withLock { (state) throws(SystemError) in
            var file = path == Self.directory ? 0 : state.names[path]
            if file != nil, access == .createNew { throw SystemError(EEXIST) }
            if file == nil, access == .create || access == .createNew { file = Self.make(path, [], &state) }
            guard let file else { throw SystemError(ENOENT) }
            state.nextHandle += 1
            state.open[state.nextHandle] = file
            return FileHandle(number: state.nextHandle)
        }
    }

    func close(_ file: FileHandle) { state.withLock { _ = $0.open.removeValue(forKey: file.number) } }

    func status(of file: FileHandle) throws(SystemError) -> FileStatus {
        try state.withLock { (state) throws(SystemError) in status(try self.file(file, state), state) }
    }

    func status(at path: String, followingLink: Bool) throws(SystemError) -> FileStatus {
        try state.withLock { (state) throws(SystemError) in
            if path == Self.directory { return status(0, state) }
            guard let file = state.names[path] else { throw SystemError(ENOENT) }
            return status(file, state)
        }
    }

    private func status(_ file: Int, _ state: State) -> FileStatus {
        FileStatus(
            device: 1, inode: UInt64(file), size: state.files[file]?.count ?? 0,
            kind: file == 0 ? .directory : .regular,
            mode: file == 0 ? 0o700 : 0o600, owner: user)
    }

    func fileSystemKind(of file: FileHandle) throws(SystemError) -> Int { 0xEF53 }
    func setMode(_ mode: UInt32, of file: FileHandle) throws(SystemError) {}

    func read(
        _ file: FileHandle,
        into target: UnsafeMutableRawPointer,
        count: Int,
        at offset: Int
    ) throws(SystemError) -> Int {
        try with(file) { bytes in
            let done = max(0, min(count, bytes.count - offset))
            if done > 0 {
                bytes.withUnsafeBytes { target.copyMemory(from: $0.baseAddress! + offset, byteCount: done) }
            }
            return done
        }
    }

    func write(_ file: FileHandle, from source: UnsafeRawPointer, count: Int, at offset: Int) throws(SystemError) {
        try with(file) { bytes in
            if bytes.count < offset + count { bytes += [UInt8](repeating: 0, count: offset + count - bytes.count) }
            bytes.withUnsafeMutableBytes { ($0.baseAddress! + offset).copyMemory(from: source, byteCount: count) }
        }
    }

    func setSize(_ size: Int, of file: FileHandle) throws(SystemError) {
        try with(file) { bytes in
            bytes = Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
        }
    }

    func nextData(_ file: FileHandle, from offset: Int) throws(SystemError) -> Int? {
        try with(file) { offset < $0.count ? offset : nil }
    }

    func syncData(_ file: FileHandle) throws(SystemError) {}
    func sync(_ file: FileHandle) throws(SystemError) {}
    func forgetCache(_ file: FileHandle, from offset: Int, count: Int) {}
    func openUnnamed(in directory: String) throws(SystemError) -> FileHandle { throw SystemError(EOPNOTSUPP) }
    func link(_ file: FileHandle, to path: String) throws(SystemError) { throw SystemError(EOPNOTSUPP) }

    func rename(_ source: String, to target: String) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            guard let file = state.names.removeValue(forKey: source) else { throw SystemError(ENOENT) }
            state.names[target] = file
        }
    }

    func renameExclusively(_ source: String, to target: String) throws(SystemError) {
        guard self[target] == nil else { throw SystemError(EEXIST) }
        try rename(source, to: target)
    }

    func link(_ source: String, to target: String) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            guard let file = state.names[source] else { throw SystemError(ENOENT) }
            guard state.names[target] == nil else { throw SystemError(EEXIST) }
            state.names[target] = file
        }
    }

    func remove(_ path: String) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            guard state.names.removeValue(forKey: path) != nil else { throw SystemError(ENOENT) }
        }
    }

    func makeDirectory(_ path: String) throws(SystemError) { throw SystemError(EACCES) }
    func removeDirectory(_ path: String) throws(SystemError) { throw SystemError(ENOTEMPTY) }
    func tryLock(_ file: FileHandle, shared: Bool) throws(SystemError) -> Bool { true }
    func unlock(_ file: FileHandle) {}
    func tryLockByte(_ file: FileHandle, at offset: Int) throws(SystemError) -> Bool { true }
}

internal import Glibc

/// An open file: a number that means something to the ``FileSystem`` that gave it.
package struct FileHandle: Sendable, Hashable {
    package let number: Int32
    package init(number: Int32) { self.number = number }
}

/// What a file is, without its times: asking for them makes the next durable write slower on new kernels.
package struct FileStatus: Sendable, Equatable {
    package enum Kind: Sendable { case regular, directory, symbolicLink, other }

    package var device: UInt64
    package var inode: UInt64
    package var size: Int
    package var kind: Kind
    /// The nine permission bits.
    package var mode: UInt32
    package var owner: UInt32

    package init(device: UInt64, inode: UInt64, size: Int, kind: Kind, mode: UInt32, owner: UInt32) {
        self.device = device
        self.inode = inode
        self.size = size
        self.kind = kind
        self.mode = mode
        self.owner = owner
    }

    /// Whether both are one and the same file.
    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}

package enum FileAccess: Sendable {
    case read
    case readWrite
    /// Read and write, made with mode 0600 if it is not there.
    case create
    /// Read and write, made with mode 0600; an error if it is there.
    case createNew
    /// A directory, for syncing it.
    case directory
}

/// The seam between a store and the disk: every call that can fail, be cut off or be reordered goes through it.
///
/// Errors are the system's own numbers, so that each caller decides what they mean. No member follows a symbolic
/// link in the last component of a path, except where it says so.
package protocol FileSystem: Sendable {
    /// The user that files must belong to.
    var user: UInt32 { get }

    func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileHandle
    func close(_ file: FileHandle)
    func status(of file: FileHandle) throws(SystemError) -> FileStatus
    func status(at path: String, followingLink: Bool) throws(SystemError) -> FileStatus
    /// The magic number of the file system that holds the file.
    func fileSystemKind(of file: FileHandle) throws(SystemError) -> Int
    func setMode(_ mode: UInt32, of file: FileHandle) throws(SystemError)

    /// Reads up to `count` bytes into `target`; fewer only at the end of the file.
    func read(_ file: FileHandle, into target: UnsafeMutableRawPointer, count: Int, at offset: Int) throws(SystemError)
        -> Int
    /// Writes all bytes, or fails having written some of them.
    func write(_ file: FileHandle, from source: UnsafeRawPointer, count: Int, at offset: Int) throws(SystemError)
    func setSize(_ size: Int, of file: FileHandle) throws(SystemError)
    /// The first page of the file for looking at it very often; `nil` where it has to be read each time.
    func sharedPage(of file: FileHandle) -> SharedPage?
    /// The first byte at or after `offset` that is not in a hole, or `nil` when only a hole is left.
    func nextData(_ file: FileHandle, from offset: Int) throws(SystemError) -> Int?

    /// Makes the bytes of a file, and its size, survive a power cut.
    func syncData(_ file: FileHandle) throws(SystemError)
    /// Makes a file or a directory survive a power cut whole.
    func sync(_ file: FileHandle) throws(SystemError)
    /// Forgets what memory holds of a part of the file, so that later reads see the disk.
    func forgetCache(_ file: FileHandle, from offset: Int, count: Int)

    /// A file without a name in a directory, for reading and writing, mode 0600; it goes with its last holder.
    func openUnnamed(in directory: String) throws(SystemError) -> FileHandle
    /// Gives an unnamed file a name, where nothing may stand.
    func link(_ file: FileHandle, to path: String) throws(SystemError)
    /// Puts `source` where `target` was.
    func rename(_ source: String, to target: String) throws(SystemError)
    /// Puts `source` at `target`, where nothing may stand.
    func renameExclusively(_ source: String, to target: String) throws(SystemError)
    /// Gives a file a second name, where nothing may stand.
    func link(_ source: String, to target: String) throws(SystemError)
    func remove(_ path: String) throws(SystemError)
    /// Makes a directory with mode 0700 whatever the umask.
    func makeDirectory(_ path: String) throws(SystemError)
    /// Removes a directory in which nothing is.
    func removeDirectory(_ path: String) throws(SystemError)

    /// Takes the whole-file lock without waiting; `false` when another holds it.
    func tryLock(_ file: FileHandle, shared: Bool) throws(SystemError) -> Bool
    func unlock(_ file: FileHandle)
    /// Takes the lock of one byte for this open file without waiting; `false` when another holds it.
    func tryLockByte(_ file: FileHandle, at offset: Int) throws(SystemError) -> Bool
    /// Frees the lock of one byte at once. Closing the file frees it too, but not while a child that is just being
    /// started still has the file.
    func unlockByte(_ file: FileHandle, at offset: Int)
}

extension FileSystem {
    package func sharedPage(of file: FileHandle) -> SharedPage? { nil }
    package func unlockByte(_ file: FileHandle, at offset: Int) {}
}

/// A failed system call.
package struct SystemError: Error, Sendable, Equatable {
    package let number: Int32
    package init(_ number: Int32) { self.number = number }

    package var fault: StorageFault { .system(number) }

    /// Whether the disk, a quota or a limit leaves no room.
    package var isShortage: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

    /// Whether something stands at the path already.
    package var isPresence: Bool { number == EEXIST }

    /// Whether nothing stands at the path.
    package var isAbsence: Bool { number == ENOENT }
}

/// Runs system calls whose failures mean what they mean everywhere.
package func faulting<R>(_ body: () throws(SystemError) -> R) throws(StorageFault) -> R {
    do {
        return try body()
    } catch {
        throw error.fault
    }
}

extension FileSystem {
    /// Reads up to `count` bytes; fewer only at the end of the file.
    package func read(_ file: FileHandle, count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
        guard MemoryRoom.isThere(for: 2 * count) else { throw SystemError(ENOMEM) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 8)
        defer { unsafe buffer.deallocate() }
        // An allocation of at least one byte has an address.
        let target = buffer.baseAddress!
        let done = unsafe try read(file, into: target, count: count, at: offset)
        return unsafe Array(buffer.prefix(done))
    }

    /// Writes zeros over a range, in pieces, so that a long one takes no memory.
    package func writeZeros(_ file: FileHandle, _ range: Range<Int>) throws(SystemError) {
        let piece = [UInt8](repeating: 0, count: min(range.count, 1 << 16))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(piece.count, range.upperBound - offset)
            try write(file, count == piece.count ? piece : Array(piece.prefix(count)), at: offset)
            offset += count
        }
    }

    /// Writes all bytes, or fails having written some of them.
    package func write(_ file: FileHandle, _ bytes: [UInt8], at offset: Int) throws(SystemError) {
        guard !bytes.isEmpty else { return }
        try unsafe bytes.span.withUnsafeBytes { (source) throws(SystemError) in
            unsafe try write(file, from: source.baseAddress!, count: source.count, at: offset)
        }
    }
}

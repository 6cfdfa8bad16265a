internal import CredentialStorage
internal import Glibc

/// A private copy of the beginning of a vault, and the file behind it.
///
/// The vault is never mapped: a program that copies another file over it would end this process, and bytes could
/// change between checking and using them. What does not fit into the copy is read each time, and checked again.
@safe
final class VaultBytes: LogSource {
    private let fileSystem: any FileSystem
    private let file: FileHandle
    private let limit: Int
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// Bytes 0 up to here are in memory.
    private(set) var loaded = 0
    private(set) var size: Int

    init(_ file: FileHandle, size: Int, fileSystem: any FileSystem, limit: Int = 64 << 20) throws(StorageFault) {
        self.file = file
        self.fileSystem = fileSystem
        self.limit = limit
        self.size = size
        capacity = Layout.initialSize
        unsafe memory = try Self.allocate(capacity)
    }

    deinit { unsafe free(memory) }

    /// Memory of the C library, which can refuse; the language's own ends the process.
    private static func allocate(_ count: Int) throws(StorageFault) -> UnsafeMutableRawPointer {
        guard let start = unsafe malloc(max(count, 1)) else { throw .noMemory }
        return unsafe start
    }

    /// Reads up to the end given, or as far as the private copy may grow.
    func load(upTo end: Int) throws(StorageFault) {
        size = max(size, end)
        let end = min(end, limit)
        guard end > loaded else { return }
        try reserve(end)
        let target = unsafe memory + loaded
        let wanted = end - loaded
        let count = try faulting { () throws(SystemError) in
            unsafe try fileSystem.read(file, into: target, count: wanted, at: loaded)
        }
        loaded += count
        // The file became shorter under us; what is gone is gone.
        if count < wanted { size = min(size, loaded) }
    }

    /// Forgets what is behind the offset, because others will write there.
    func forget(from offset: Int) { loaded = min(loaded, offset) }

    func setSize(_ size: Int) {
        self.size = size
        loaded = min(loaded, size)
    }

    /// Takes over bytes that were just written to the file.
    func append(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        size = max(size, offset + bytes.count)
        guard offset == loaded, offset + bytes.count <= limit, let start = bytes.baseAddress else { return }
        // What does not fit is read from the file.
        guard (try? reserve(offset + bytes.count)) != nil else { return }
        unsafe (memory + offset).copyMemory(from: start, byteCount: bytes.count)
        loaded += bytes.count
    }

    func isLoaded(_ range: Range<Int>) -> Bool { range.upperBound <= loaded }

    func withBytes<R>(
        at offset: Int,
        count: Int,
        _ body: (Span<UInt8>) throws(StorageFault) -> R
    ) throws(StorageFault) -> R {
        if offset + count <= loaded {
            let start = unsafe (memory + offset).assumingMemoryBound(to: UInt8.self)
            return unsafe try body(UnsafeBufferPointer(start: start, count: count).span)
        }
        let target = unsafe try Self.allocate(count)
        defer { unsafe free(target) }
        let got = try faulting { () throws(SystemError) in
            unsafe try fileSystem.read(file, into: target, count: count, at: offset)
        }
        guard got == count else { throw .undecryptable(.damaged) }
        let start = unsafe target.assumingMemoryBound(to: UInt8.self)
        return unsafe try body(UnsafeBufferPointer(start: start, count: count).span)
    }

    func nextData(from offset: Int) throws(StorageFault) -> Int? {
        try faulting { () throws(SystemError) in try fileSystem.nextData(file, from: offset) }
    }

    private func reserve(_ wanted: Int) throws(StorageFault) {
        guard wanted > capacity else { return }
        let grown = max(wanted, capacity + capacity / 2)
        let next = unsafe try Self.allocate(grown)
        unsafe next.copyMemory(from: memory, byteCount: loaded)
        unsafe free(memory)
        unsafe memory = unsafe next
        capacity = grown
    }
}

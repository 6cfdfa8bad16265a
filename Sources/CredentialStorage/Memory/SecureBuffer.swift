internal import CCredentialShims

/// Secret bytes in guarded memory that is left out of core dumps, kept from the swap where the system allows it, and
/// wiped when the buffer goes away.
///
/// A noncopyable owner: it can be moved and borrowed, never copied. Reading is safe from several threads at once. It
/// cannot be printed, and its bytes are reachable only inside a closure.
///
/// ```swift
/// let key = SecureBuffer(copying: bytes)
/// key.withBytes { span in use(span) }
/// ```
@safe
public struct SecureBuffer: ~Copyable, @unchecked Sendable {
    // Unchecked: the memory belongs to this value alone, and only a mutating member writes to it.
    /// The number of bytes.
    public let count: Int

    private enum Owner {
        case arena(SecureArena, SecureArena.Region, piece: UInt32)
        case scratch(ScratchStripe)
    }

    private let owner: Owner
    /// The start of the bytes.
    ///
    /// Whoever takes it must keep this buffer alive meanwhile.
    @usableFromInline package let address: UnsafeMutableRawPointer

    /// Makes a buffer of zeros.
    ///
    /// Where there is no memory the process ends, as it does at every allocation of the language.
    ///
    /// - Parameter count: The number of bytes.
    public init(count: Int) {
        do throws(StorageFault) { try self.init(count: count, in: .shared) } catch { fatalError("out of memory") }
    }

    /// Copies bytes.
    ///
    /// Where there is no memory the process ends, as it does at every allocation of the language.
    ///
    /// - Parameter bytes: The bytes; the caller's copy is not wiped.
    public init(copying bytes: Span<UInt8>) {
        do throws(StorageFault) { try self.init(copying: bytes, in: .shared) } catch { fatalError("out of memory") }
    }

    package init(count: Int, in arena: SecureArena) throws(StorageFault) {
        precondition(count >= 0, "a buffer has no negative length")
        let (region, piece) = try arena.allocate(max(count, 1))
        unsafe self.init(
            count, region.start + Int(piece) * region.pieceSize, .arena(arena, region, piece: piece))
    }

    /// A buffer that lives no longer than one operation: a small one comes without a lock for which other threads
    /// wait, as long as the thread has no other one.
    package init(scratch count: Int, in arena: SecureArena) throws(StorageFault) {
        guard let (stripe, address) = unsafe arena.takeScratch(count) else {
            try self.init(count: count, in: arena)
            return
        }
        unsafe self.init(count, address, .scratch(stripe))
    }

    private init(_ count: Int, _ address: UnsafeMutableRawPointer, _ owner: Owner) {
        self.count = count
        self.owner = owner
        unsafe self.address = unsafe address
    }

    package init(copying bytes: Span<UInt8>, in arena: SecureArena) throws(StorageFault) {
        try self.init(count: bytes.count, in: arena)
        let target = unsafe address
        unsafe bytes.withUnsafeBytes { source in
            if let start = source.baseAddress { unsafe target.copyMemory(from: start, byteCount: source.count) }
        }
    }

    deinit {
        switch owner {
        case .arena(let arena, let region, let piece): arena.release(region, piece)
        case .scratch(let stripe): stripe.giveBack(count)
        }
    }

    /// Whether the system keeps these bytes from the swap.
    public var isLocked: Bool {
        switch owner {
        case .arena(_, let region, _): region.isLocked
        case .scratch(let stripe): stripe.isLocked
        }
    }

    /// Gives the bytes to a body, which must not keep them.
    ///
    /// - Parameter body: Reads the bytes.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw.
    @inlinable
    public borrowing func withBytes<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        // The span lives no longer than this call, and `self` is borrowed for as long.
        let buffer = unsafe UnsafeBufferPointer(start: address.assumingMemoryBound(to: UInt8.self), count: count)
        return unsafe try body(buffer.span)
    }

    /// Gives the bytes to a body that may change them.
    ///
    /// - Parameter body: Reads and writes the bytes.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw.
    public mutating func withMutableBytes<R, E: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let start = unsafe address.assumingMemoryBound(to: UInt8.self)
        let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: count)
        var span = unsafe buffer.mutableSpan
        return try body(&span)
    }

    /// Compares in a time that depends on the lengths only.
    ///
    /// - Parameter other: The other bytes.
    /// - Returns: Whether both are the same.
    public borrowing func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let mine = unsafe address
        return unsafe other.withUnsafeBytes { theirs in
            // An empty span has no address; two empty values are equal.
            guard let start = theirs.baseAddress else { return true }
            return unsafe ccs_compare(mine, start, count) == 0
        }
    }
}

/// A ``SecureBuffer`` that several owners share; it is wiped when the last one lets go.
package final class SharedSecret: Sendable {
    package let bytes: SecureBuffer
    package init(_ bytes: consuming SecureBuffer) { self.bytes = bytes }
}

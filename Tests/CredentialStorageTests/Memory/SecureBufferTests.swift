internal import CredentialStorage
internal import FoundationEssentials
internal import Glibc
internal import Testing

@Suite("Secure buffers", .timeLimit(.minutes(10)))
struct SecureBufferTests {
    /// Around every border between two piece sizes, and beyond the largest.
    static let sizes =
        [0, 1, 31, 32, 33, 47, 48, 49, 64, 65, 4095, 4096, 4097, 65_536, 65_537]
        + [1 << 20, (1 << 20) + 1, 3 << 19, (1 << 21) - 1, 1 << 21, (1 << 21) + 1, 5 << 20]

    @Test("a new buffer is zeros of the asked length", arguments: sizes)
    func zeros(count: Int) {
        let buffer = SecureBuffer(count: count)
        #expect(buffer.count == count)
        let isZero = buffer.isEqual(to: Data(count: count).span)
        #expect(isZero)
    }

    @Test("bytes are copied in and read back", arguments: sizes)
    func copies(count: Int) {
        var value = Data(1...251)
        while value.count < count { value += value }
        value = value.prefix(count)
        let buffer = SecureBuffer(copying: value.span)
        let found = buffer.withBytes { Data(copying: $0) }
        #expect(found == value)
        let isEqual = buffer.isEqual(to: value.span)
        #expect(isEqual)
    }

    @Test("changed bytes stay changed")
    func mutation() {
        var buffer = SecureBuffer(count: 100)
        buffer.withMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = UInt8(index) }
        }
        let found = buffer.withBytes { Data(copying: $0) }
        #expect(found == Data(0..<100))
    }

    @Test("closures return and throw what they like")
    func closures() {
        struct Own: Error, Equatable {}
        var buffer = SecureBuffer(count: 3)
        let count = buffer.withBytes { $0.count }
        #expect(count == 3)
        var caught: Own?
        do throws(Own) {
            try buffer.withBytes { (_) throws(Own) in throw Own() }
        } catch { caught = error }
        #expect(caught == Own())
        caught = nil
        do throws(Own) {
            try buffer.withMutableBytes { (_) throws(Own) in throw Own() }
        } catch { caught = error }
        #expect(caught == Own())
    }

    @Test("isEqual tells apart every single bit and every length")
    func equality() {
        let value = Data(0..<64)
        let buffer = SecureBuffer(copying: value.span)
        var falsePositives = 0
        for bit in 0..<(64 * 8) {
            var other = value
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            if buffer.isEqual(to: other.span) { falsePositives += 1 }
        }
        for count in 0..<64 where buffer.isEqual(to: value.prefix(count).span) { falsePositives += 1 }
        if buffer.isEqual(to: (value + [0]).span) { falsePositives += 1 }
        #expect(falsePositives == 0)
        let empty = SecureBuffer(count: 0)
        let (ofEmpty, ofOne) = (empty.isEqual(to: Data().span), empty.isEqual(to: Data([0]).span))
        #expect(ofEmpty)
        #expect(!ofOne)
    }

    @Test("a released piece is wiped, and given out again as zeros", arguments: [1, 64, 4096, 100_000])
    func wiping(count: Int) throws {
        let arena = SecureArena()
        // A neighbour keeps the region mapped, so that the released bytes can still be looked at.
        let neighbour = try SecureBuffer(copying: Data(repeating: 0xAA, count: count).span, in: arena)
        var address: UnsafeMutableRawPointer?
        do {
            let secret = try SecureBuffer(copying: Data(repeating: 0xBB, count: count).span, in: arena)
            unsafe address = secret.address
        }
        let again = try SecureBuffer(count: count, in: arena)
        let isSamePiece = unsafe again.address == address
        #expect(isSamePiece)
        let rest = again.withBytes { bytes in
            var rest = 0
            for index in bytes.indices where bytes[index] != 0 { rest += 1 }
            return rest
        }
        #expect(rest == 0)
        let isUntouched = neighbour.isEqual(to: Data(repeating: 0xAA, count: count).span)
        #expect(isUntouched)
    }

    @Test("reading before the region traps")
    func guardBefore() async {
        await #expect(processExitsWith: .failure) { readByte(at: -1) }
    }

    @Test("reading behind the region traps")
    func guardBehind() async {
        await #expect(processExitsWith: .failure) { readByte(at: 1 << 21) }
    }

    @Test("reading the first and the last byte of the region does not trap")
    func guardControl() async {
        await #expect(processExitsWith: .success) { readByte(at: 0) }
        await #expect(processExitsWith: .success) { readByte(at: (1 << 21) - 1) }
    }
}

/// Reads one byte relative to a buffer that fills its region, and ends the process with it, which is 0.
private func readByte(at offset: Int) -> Never {
    // The backtracer would print the memory around the fault.
    unsafe setenv("SWIFT_BACKTRACE", "enable=no", 1)
    guard let shared = try? SharedSecret(SecureBuffer(count: 1 << 21, in: SecureArena())) else { exit(3) }
    // The pointer stays inside the closure, so that the region is still mapped when it is used.
    let byte = shared.bytes.withBytes { bytes in
        unsafe bytes.withUnsafeBytes { unsafe $0.baseAddress?.load(fromByteOffset: offset, as: UInt8.self) }
    }
    exit(byte.map(Int32.init) ?? 2)
}

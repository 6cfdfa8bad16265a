internal import CCredentialShims

/// Sixteen bytes that are compared and hashed as one value: ids, name hashes, frame MACs.
package struct Bytes16: Sendable, Hashable {
    /// Bytes 0…7 and 8…15, little-endian.
    package var first: UInt64
    package var second: UInt64

    package init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    package init(_ bytes: Span<UInt8>, at offset: Int = 0) {
        first = bytes.load(UInt64.self, at: offset)
        second = bytes.load(UInt64.self, at: offset + 8)
    }

    package static let zero = Bytes16(first: 0, second: 0)
    package static let ones = Bytes16(first: .max, second: .max)

    package var bytes: [UInt8] {
        var result: [UInt8] = []
        result.append(first)
        result.append(second)
        return result
    }
}

extension Span<UInt8> {
    /// Reads a little-endian number.
    package func load<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T {
        var result: T = 0
        for index in (0..<MemoryLayout<T>.size).reversed() { result = (result << 8) | T(self[offset + index]) }
        return result
    }

    package func array(_ range: Range<Int>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        for index in range { result.append(self[index]) }
        return result
    }

    /// The index of the first byte that is not zero.
    package var firstNonzero: Int? {
        let index = unsafe withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe Int(ccs_first_nonzero($0, bytes.count)) } ?? bytes.count
        }
        return index < count ? index : nil
    }

    /// The index of the last byte that is not zero.
    package var lastNonzero: Int? {
        let index = unsafe withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe Int(ccs_last_nonzero($0, bytes.count)) } ?? -1
        }
        return index < 0 ? nil : index
    }

    /// Whether a whole block, counted from the start, is zero.
    package var hasZeroBlock: Bool {
        unsafe withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe ccs_has_zero_block($0, bytes.count) != 0 } ?? false
        }
    }
}

extension Span<UInt8> {
    /// Reads eight bytes at once, for the hot paths.
    package func load(_ type: UInt64.Type, at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset + 8 <= count)
        // In bounds by the line above; the load asks for no alignment.
        return unsafe withUnsafeBytes {
            UInt64(littleEndian: unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }
}

extension [UInt8] {
    /// Appends a little-endian number.
    package mutating func append<T: FixedWidthInteger>(_ number: T) {
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
    }

    package mutating func append(_ value: Bytes16) {
        append(value.first)
        append(value.second)
    }
}

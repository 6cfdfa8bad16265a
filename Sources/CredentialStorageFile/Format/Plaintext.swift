internal import CredentialStorage
internal import FoundationEssentials

/// What a box holds: name length 2, value length 4, name, value, zeros.
final class Plaintext: Sendable {
    let bytes: SecureBuffer

    init(name: EntryKey, value: Span<UInt8>, arena: SecureArena) throws(StorageFault) {
        let nameLength = name.name.utf8.count
        let used = Layout.plaintextPrefix + nameLength + value.count
        var bytes = try SecureBuffer(count: Padding.length(for: used), in: arena)
        bytes.withMutableBytes { target in
            target[0] = UInt8(truncatingIfNeeded: nameLength)
            target[1] = UInt8(truncatingIfNeeded: nameLength >> 8)
            for index in 0..<4 { target[2 + index] = UInt8(truncatingIfNeeded: value.count >> (8 * index)) }
            unsafe target.withUnsafeMutableBytes { target in
                unsafe name.withBytes { name in
                    unsafe target.baseAddress!.advanced(by: Layout.plaintextPrefix)
                        .copyMemory(from: name.baseAddress!, byteCount: nameLength)
                }
                unsafe value.withUnsafeBytes { value in
                    guard let start = value.baseAddress else { return }
                    unsafe target.baseAddress!.advanced(by: Layout.plaintextPrefix + nameLength)
                        .copyMemory(from: start, byteCount: value.count)
                }
            }
        }
        self.bytes = bytes
    }
}

/// Where name and value stand in an opened box.
struct BoxLengths {
    let name: Range<Int>
    let value: Range<Int>

    /// Reads them; `nil` when they are impossible, which no vault of ours has.
    init?(_ box: Span<UInt8>) {
        guard box.count >= Layout.plaintextPrefix else { return nil }
        let nameLength = Int(box.load(UInt16.self, at: 0))
        let valueLength = Int(box.load(UInt32.self, at: 2))
        guard nameLength > 0, nameLength <= EntryKey.maximumLength, valueLength <= Layout.maximumValue,
            Layout.plaintextPrefix + nameLength + valueLength <= box.count
        else { return nil }
        name = Layout.plaintextPrefix..<Layout.plaintextPrefix + nameLength
        value = name.upperBound..<name.upperBound + valueLength
    }
}

/// An opened box in locked memory.
struct OpenedEntry: ~Copyable {
    private let bytes: SecureBuffer
    private let lengths: BoxLengths

    /// Takes a decrypted box over; `nil` when it is none of ours.
    init?(_ bytes: consuming SecureBuffer) {
        guard let lengths = bytes.withBytes({ BoxLengths($0) }) else { return nil }
        self.lengths = lengths
        self.bytes = bytes
    }

    /// Whether the name is one that an entry can have; who has the key can seal any bytes as one.
    borrowing func hasName() -> Bool { withName { EntryKey.isValid($0) } }

    /// The whole plaintext, padding included.
    borrowing func withPlaintext<R>(_ body: (Span<UInt8>) -> R) -> R { bytes.withBytes { body($0) } }

    borrowing func withName<R>(_ body: (Span<UInt8>) -> R) -> R {
        bytes.withBytes { body($0.extracting(lengths.name)) }
    }

    /// The value in ordinary memory.
    borrowing func copiedValue() throws(StorageFault) -> Data {
        try MemoryRoom.check(lengths.value.count)
        return withValue { Data(copying: $0) }
    }

    borrowing func withValue<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try bytes.withBytes { (span) throws(E) in try body(span.extracting(lengths.value)) }
    }
}

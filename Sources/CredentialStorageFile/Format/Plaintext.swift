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

/// An opened box in locked memory.
struct OpenedEntry: ~Copyable {
    private let bytes: SecureBuffer
    private let nameLength: Int
    private let valueLength: Int

    /// Takes a decrypted box over; `nil` when its lengths are impossible, which no vault of ours has.
    init?(_ bytes: consuming SecureBuffer) {
        let count = bytes.count
        let lengths = bytes.withBytes { span -> (Int, Int) in
            (Int(span.load(UInt16.self, at: 0)), Int(span.load(UInt32.self, at: 2)))
        }
        guard lengths.0 > 0, lengths.0 <= EntryKey.maximumLength, lengths.1 <= Layout.maximumValue,
            Layout.plaintextPrefix + lengths.0 + lengths.1 <= count
        else { return nil }
        nameLength = lengths.0
        valueLength = lengths.1
        self.bytes = bytes
    }

    /// Whether the name is one that an entry can have; who has the key can seal any bytes as one.
    borrowing func hasName() -> Bool { withName { EntryKey(utf8: $0.array(0..<$0.count)) != nil } }

    /// The whole plaintext, padding included.
    borrowing func withPlaintext<R>(_ body: (Span<UInt8>) -> R) -> R { bytes.withBytes { body($0) } }

    borrowing func withName<R>(_ body: (Span<UInt8>) -> R) -> R {
        bytes.withBytes { body($0.extracting(Layout.plaintextPrefix..<Layout.plaintextPrefix + nameLength)) }
    }

    /// The value in ordinary memory.
    borrowing func copiedValue() throws(StorageFault) -> Data {
        try MemoryRoom.check(valueLength)
        return withValue { Data(copying: $0) }
    }

    borrowing func withValue<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let start = Layout.plaintextPrefix + nameLength
        return try bytes.withBytes { (span) throws(E) in try body(span.extracting(start..<start + valueLength)) }
    }
}

internal import CredentialStorage
internal import FoundationEssentials

/// The bytes that stand in the base for one entry; `docs/sealed-records.md` explains them.
enum SealedRecord {
    static let magic: [UInt8] = [0x89, 0x53, 0x43, 0x52]
    static let version: UInt8 = 1

    static let headLength = 24
    static let checkPlace = 24..<40
    /// Nonce and tag.
    static let boxHeadLength = Box.nonceLength + Box.tagLength
    static let valueHeadPlace = 40..<80
    static let fixedLength = 80
    static let nameHeadPlace = 80..<120
    static let nameBoxPlace = 120
    static let valuePrefix = 4
    static let namePrefix = 2
    static let maximumValue = 1 << 24

    static func kind(_ names: SealedNames) -> UInt8 { names == .clear ? 1 : 2 }

    /// What the head of a record says.
    struct Head {
        let version: UInt8
        let kind: UInt8
        /// The length of the sealed name.
        let nameLength: Int
        let keyID: SealingKey.ID
        /// Whether the check over the head holds; it tells damage from a newer version or another key.
        let isSound: Bool

        /// `nil` for bytes that are too short or do not begin as a record does.
        init?(_ record: Span<UInt8>) {
            guard record.count >= fixedLength, (0..<magic.count).allSatisfy({ record[$0] == magic[$0] }) else {
                return nil
            }
            version = record[4]
            kind = record[5]
            nameLength = SealedRecord.nameLength(record)
            keyID = SealingKey.ID(bytes: (8..<headLength).map { record[$0] })
            let sum = check(record.extracting(0..<headLength))
            isSound = zip(checkPlace, sum).allSatisfy { record[$0] == $1 }
        }

        /// Where the sealed value begins.
        var valueStart: Int { kind == SealedRecord.kind(.clear) ? fixedLength : nameBoxPlace + nameLength }
    }

    private static func nameLength(_ record: Span<UInt8>) -> Int { Int(record[6]) | Int(record[7]) << 8 }

    /// Where the sealed name stands, if the record is long enough for it.
    static func nameBox(_ record: Span<UInt8>) -> Range<Int>? {
        guard record.count >= nameBoxPlace, nameBoxPlace + nameLength(record) <= record.count else { return nil }
        return nameBoxPlace..<nameBoxPlace + nameLength(record)
    }

    static func head(_ names: SealedNames, nameLength: Int, _ id: SealingKey.ID) -> [UInt8] {
        magic + [
            version, kind(names), UInt8(truncatingIfNeeded: nameLength), UInt8(truncatingIfNeeded: nameLength >> 8),
        ]
            + id.bytes
    }

    static func check(_ head: Span<UInt8>) -> [UInt8] {
        let noKey: [UInt8] = []
        var hash = Blake2b(length: checkPlace.count, key: noKey.span)
        hash.update(head)
        return hash.finish()
    }

    /// The largest value that surely fits into a record of so many bytes.
    static func largestValue(inRecordOf length: Int, _ names: SealedNames) -> Int {
        let longestName = boxHeadLength + Padding.length(for: namePrefix + EntryKey.maximumLength)
        let room = length - fixedLength - (names == .clear ? 0 : longestName)
        return max(0, Padding.largest(in: room) - valuePrefix)
    }

    /// A little-endian length, the bytes, zeros.
    static func padded(_ bytes: Span<UInt8>, prefix: Int) throws(StorageFault) -> SecureBuffer {
        var buffer = try SecureBuffer(count: Padding.length(for: prefix + bytes.count), in: .shared)
        buffer.withMutableBytes { target in
            for index in 0..<prefix { target[index] = UInt8(truncatingIfNeeded: bytes.count >> (8 * index)) }
            unsafe target.withUnsafeMutableBytes { target in
                unsafe bytes.withUnsafeBytes { source in
                    guard let start = source.baseAddress else { return }
                    unsafe target.baseAddress!.advanced(by: prefix).copyMemory(from: start, byteCount: source.count)
                }
            }
        }
        return buffer
    }

    /// The opened content of a box, without its length and padding.
    struct Content: ~Copyable {
        private let buffer: SecureBuffer
        private let place: Range<Int>

        /// `nil` when the length is impossible, which no record of ours has.
        init?(_ buffer: consuming SecureBuffer, prefix: Int) {
            let length = buffer.withBytes { bytes in
                bytes.count < prefix ? -1 : (0..<prefix).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
            }
            guard length >= 0, prefix + length <= buffer.count else { return nil }
            place = prefix..<prefix + length
            self.buffer = buffer
        }

        var count: Int { place.count }

        borrowing func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
            try buffer.withBytes { (bytes) throws(E) in try body(bytes.extracting(place)) }
        }

        /// The bytes in ordinary memory.
        borrowing func copied() throws(StorageFault) -> Data {
            try MemoryRoom.check(count)
            return withBytes { Data(copying: $0) }
        }
    }
}

import CredentialStorage
import CredentialStorageSealing

@testable import CredentialStorageFile

/// The bytes of a log in an array.
struct ArraySource: LogSource {
    var bytes: [UInt8]
    var size: Int { bytes.count }

    func withBytes<R>(
        at offset: Int,
        count: Int,
        _ body: (Span<UInt8>) throws(StorageFault) -> R
    ) throws(StorageFault) -> R {
        let slice = Array(bytes[offset..<offset + count])
        return try body(slice.span)
    }

    func nextData(from offset: Int) throws(StorageFault) -> Int? { offset }
}

/// A log that is built commit by commit, with MACs under a key of the test's own.
struct TestLog {
    /// What one frame holds.
    struct Content {
        var name: String
        /// `nil` for a removal.
        var body: Int?
        var isIndex = false

        static func value(_ name: String, _ body: Int = 64) -> Content { Content(name: name, body: body) }
        static func delete(_ name: String) -> Content { Content(name: name, body: nil) }
        static let index = Content(name: "", body: 64, isIndex: true)

        var kind: FrameKind { isIndex ? .index : body == nil ? .delete : .value }
        var hash: Bytes16 { isIndex ? .ones : TestLog.hash(name) }
    }

    static let logID = Bytes16(first: 0x1111_2222_3333_4444, second: 0x5555_6666_7777_8888)
    static let start = LogPosition(
        offset: Layout.logStart, nextSequence: 1, lastMAC: logID.first, lastFrameOffset: 0)

    private(set) var bytes = [UInt8](repeating: 0, count: Layout.logStart)
    /// The frames of each commit.
    private(set) var commits: [[LocatedFrame]] = []
    private(set) var position = TestLog.start

    var frames: [LocatedFrame] { commits.flatMap(\.self) }
    var end: Int { bytes.count }

    /// The whole file: log and room.
    func file(room: Int = 1024) -> [UInt8] {
        let sized = (bytes.count + room + 511) / 512 * 512
        return bytes + [UInt8](repeating: 0, count: sized - bytes.count)
    }

    static func hash(_ name: String) -> Bytes16 {
        var result: [UInt8] = Array(repeating: 0, count: 16)
        let (bytes, key) = (Array(name.utf8), [UInt8](repeating: 3, count: 16))
        result.withUnsafeMutableBufferPointer { SipHash.hash(bytes.span, key: key.span, into: $0.baseAddress!) }
        return Bytes16(result.span)
    }

    static func mac(_ head: Span<UInt8>, _ offset: Int) -> Bytes16 {
        var covered = logID.bytes
        covered.append(UInt64(offset))
        covered += head.array(0..<96)
        var result: [UInt8] = Array(repeating: 0, count: 16)
        let key = [UInt8](repeating: 7, count: 16)
        result.withUnsafeMutableBufferPointer { SipHash.hash(covered.span, key: key.span, into: $0.baseAddress!) }
        return Bytes16(result.span)
    }

    mutating func commit(_ contents: [Content]) {
        var made: [LocatedFrame] = []
        for (index, content) in contents.enumerated() {
            let head = FrameHead(
                kind: content.kind, bodyLength: content.body ?? 0, position: UInt32(index),
                commitCount: UInt32(contents.count), headerSequence: 1, sequence: position.nextSequence,
                previous: position.lastMAC, nameHash: content.hash)
            var frame = head.encoded + [UInt8](repeating: 0xFF, count: 40)
            let mac = Self.mac(frame.span, position.offset)
            frame.append(mac)
            frame += (0..<head.bodyLength).map { UInt8(truncatingIfNeeded: 1 + ($0 * 31 + index) % 251) }
            frame.append(head.nameHash)
            bytes += frame
            let located = LocatedFrame(offset: position.offset, head: head, mac: mac.first, isEchoSound: true)
            made.append(located)
            position = located.positionAfter
        }
        commits.append(made)
    }

    /// Scans as a store does that knows the names given besides those in the log.
    static func scan(
        _ file: [UInt8],
        published: Int? = nil,
        knowing names: Set<String> = []
    ) throws -> ScanResult {
        let hashes = Set(names.map(hash))
        return try LogScanner(ArraySource(bytes: file)) { head, offset in
            mac(head, offset) == Bytes16(head, at: FrameHead.macPlace.lowerBound)
        } vouch: { (hash, _) throws(StorageFault) in
            hashes.contains(hash)
        }.readAll(from: start, published: published)
    }
}

extension ScanResult {
    var frames: [LocatedFrame] {
        items.compactMap { item in if case .frame(let frame) = item { frame } else { nil } }
    }
    var damage: [DamagedRange] {
        items.compactMap { item in if case .damage(let range) = item { range } else { nil } }
    }
    var lost: Int { damage.reduce(0) { $0 + $1.lost } }
    var named: Set<Bytes16> { Set(damage.flatMap(\.frames).compactMap(\.nameHash)) }
}

internal import CredentialStorage

/// Says whose frames stood in a stretch that holds no authentic frame.
///
/// Nothing here is authentic, so nothing here ever yields a value: it only decides which entry is called damaged. A
/// hash is believed only when something vouches for it: an entry of that hash is known, or the name itself decrypts
/// under it. All else is counted as lost, because a wrong guess would let the true entry pass for absent.
struct DamageAssessment {
    let range: Range<Int>
    let expected: LogPosition
    /// How many sequence numbers are missing, or `nil` at the end of the log, where nothing tells.
    let missing: Int?
    let vouch: (_ nameHash: Bytes16, _ frame: Range<Int>) throws(StorageFault) -> Bool

    func assess(_ source: some LogSource) throws(StorageFault) -> DamagedRange {
        var result = DamagedRange(range: range, frames: [], lost: 0)
        var offset = range.lowerBound
        var found = 0
        var isBehindZeros = false
        while offset + Layout.minimumFrame <= range.upperBound, found < missing ?? .max {
            let skipped = try endOfLongZeros(from: offset, source)
            guard skipped == offset else {
                offset = skipped
                isBehindZeros = true
                continue
            }
            let head = try source.withBytes(at: offset, count: Layout.headLength) { bytes in RawHead(bytes) }
            let isInPlace = head.isInPlace(at: expected, behind: found)
            let isOnly = missing.map { $0 - found == 1 } ?? false
            let finding = try identify(head, at: offset, isInPlace: isInPlace, isOnly: isOnly, source)
            result.frames.append(
                DamagedFrame(
                    offset: offset, length: finding.length, kind: isInPlace ? head.kind : nil,
                    nameHash: finding.nameHash))
            if finding.nameHash == nil { result.lost += 1 }
            if finding.mayHideMore || (isBehindZeros && !isInPlace && missing == nil) { result.lost += 1 }
            isBehindZeros = false
            offset += finding.length
            found += 1
        }
        if found == 0, missing != 0, let frame = try beginning(source) {
            result.frames.append(frame)
            found = 1
            if missing == nil { result.lost += 1 }
        }
        if let missing { result.lost += missing - found } else if found == 0 { result.lost += 1 }
        return result
    }

    /// The frame of which no more than its beginning is left, if that says whose it was.
    private func beginning(_ source: some LogSource) throws(StorageFault) -> DamagedFrame? {
        guard (RawHead.nameEnd..<Layout.minimumFrame).contains(range.count) else { return nil }
        var bytes = try source.withBytes(at: range.lowerBound, count: range.count) { $0.array(0..<$0.count) }
        bytes += [UInt8](repeating: 0, count: Layout.minimumFrame - bytes.count)
        let head = RawHead(bytes.span)
        guard head.isInPlace(at: expected, behind: 0), try vouch(head.nameHash, range) else { return nil }
        return DamagedFrame(
            offset: range.lowerBound, length: range.count, kind: head.kind, nameHash: head.nameHash)
    }

    /// So many zeros in a row are no frames: a huge file of nothing must not cost a look at every 128 bytes of it.
    private static let longZeros = 4096

    /// The block of the first byte behind a long stretch of zeros that begins here, or the offset itself.
    private func endOfLongZeros(from offset: Int, _ source: some LogSource) throws(StorageFault) -> Int {
        var place = offset
        while place < range.upperBound {
            guard let data = try source.nextData(from: place), data < range.upperBound else {
                place = range.upperBound
                break
            }
            place = max(place, data)
            let count = min(64 * 1024, range.upperBound - place)
            if let first = try source.withBytes(at: place, count: count, { $0.firstNonzero }) {
                place += first
                break
            }
            place += count
        }
        guard place - offset >= Self.longZeros else { return offset }
        // Where a frame was zeroed up to its echo, that still says whose it was.
        let zeros = min(place, range.upperBound - Layout.minimumFrame) - offset
        return offset + zeros / Layout.block * Layout.block
    }

    private struct Finding {
        var length: Int
        var nameHash: Bytes16?
        /// At the end of the log no sequence number tells how many frames a stretch without a sound head held.
        var mayHideMore = false
    }

    /// Two witnesses stand in a frame: the hash in its head and the echo at its end, and the head says where that is.
    private func identify(
        _ head: RawHead,
        at offset: Int,
        isInPlace: Bool,
        isOnly: Bool,
        _ source: some LogSource
    ) throws(StorageFault) -> Finding {
        let room = range.upperBound - offset
        let told = isOnly ? room : head.frameLength.flatMap { $0 <= room ? $0 : nil }
        // No frame fits into less than this, so a length that leaves so little is wrong, or stray bytes follow.
        let stated = told.flatMap { room - $0 == 0 || room - $0 >= Layout.minimumFrame ? $0 : nil }
        let isCut = isInPlace && missing == nil && head.frameLength.map { $0 > room } ?? false
        if isCut, try echo(before: offset + room, source) != head.nameHash,
            try vouch(head.nameHash, offset..<offset + room)
        {
            // Its end is gone, and its echo with it.
            return Finding(length: room, nameHash: head.nameHash, mayHideMore: true)
        }
        for length in Set([told ?? room, room]).sorted() {
            let echo = try echo(before: offset + length, source)
            // The last echo of the stretch may be another frame's, unless the head agrees with it or says nothing.
            guard length == told || stated == nil || head.nameHash == echo else { continue }
            // A whole frame that was moved here speaks of its own entry, not of the one that stood here.
            let isWhole = head.isNumbered(before: expected.nextSequence) || echo == .zero
            if !isInPlace, isWhole, head.nameHash == echo { continue }
            if try vouch(echo, offset..<offset + length) {
                let isUncertain = missing == nil && stated == nil && head.nameHash != echo
                return Finding(length: length, nameHash: echo, mayHideMore: isUncertain)
            }
        }
        let length = stated ?? room
        guard isInPlace, try vouch(head.nameHash, offset..<offset + length) else { return Finding(length: length) }
        return Finding(length: length, nameHash: head.nameHash)
    }

    private func echo(before end: Int, _ source: some LogSource) throws(StorageFault) -> Bytes16 {
        try source.withBytes(at: end - Layout.echoLength, count: Layout.echoLength) { bytes in Bytes16(bytes) }
    }
}

/// The fields of a head that nothing vouches for.
private struct RawHead {
    /// Where the last field ends that is read here.
    static let nameEnd = 56

    let kind: FrameKind?
    let frameLength: Int?
    let sequence: UInt64
    let previous: UInt64
    let nameHash: Bytes16

    init(_ bytes: Span<UInt8>) {
        kind = FrameKind(rawValue: bytes[4])
        let body = Int(bytes.load(UInt32.self, at: 8))
        let isPossible = body <= Layout.maximumBody && body % Layout.block == 0
        frameLength = isPossible ? body + Layout.frameOverhead : nil
        sequence = bytes.load(UInt64.self, at: 24)
        previous = bytes.load(UInt64.self, at: 32)
        nameHash = Bytes16(bytes, at: 40)
    }

    /// Whether a frame that was moved from elsewhere could have this number, which no overwritten one is likely to have.
    func isNumbered(before next: UInt64) -> Bool {
        sequence != 0 && (sequence < next || sequence - next < Layout.mostFrames)
    }

    /// Whether it says that it follows a position, with so many frames between them.
    func isInPlace(at position: LogPosition, behind count: Int) -> Bool {
        sequence == position.nextSequence &+ UInt64(count) || (count == 0 && previous == position.lastMAC)
    }
}

internal import CredentialStorage

/// Says whose frames stood in a stretch that holds no authentic frame.
///
/// Nothing here is proven, so nothing here ever yields a value: it only decides which entry is called damaged, and
/// where not even that can be told, how many losses there are.
struct DamageAssessment {
    let range: Range<Int>
    let expected: LogPosition
    /// How many sequence numbers are missing, or `nil` at the end of the log, where nothing tells.
    let missing: Int?

    func assess(_ source: some LogSource) throws(StorageFault) -> DamagedRange {
        var result = DamagedRange(range: range, frames: [], lost: 0)
        var offset = range.lowerBound
        var sequence = expected.nextSequence
        var found = 0
        while offset + Layout.minimumFrame <= range.upperBound, found < missing ?? .max {
            let isOnly = missing.map { $0 - found == 1 } ?? false
            let room = range.upperBound - offset
            let isFirst = found == 0
            let read = try source.withBytes(at: offset, count: Layout.headLength) { head -> RawHead in RawHead(head) }
            let length: Int
            if let stated = read.frameLength, stated <= room, !isOnly {
                length = stated
            } else if isOnly || missing == nil {
                length = room
            } else {
                break
            }
            let echo = try source.withBytes(at: offset + length - Layout.echoLength, count: Layout.echoLength) {
                bytes in
                Bytes16(bytes)
            }
            let isInPlace = read.sequence == sequence || (isFirst && read.previous == expected.lastMAC)
            // The end of a frame that was cut off is gone, and its echo with it.
            let isCut = missing == nil && offset + length == source.size
            let hash =
                isCut
                ? (isInPlace ? read.nameHash : nil)
                : Self.hash(read.nameHash, echo: echo, isInPlace: isInPlace)
            if hash != .ones {
                result.frames.append(
                    DamagedFrame(offset: offset, length: length, kind: isInPlace ? read.kind : nil, nameHash: hash))
                let agree = isInPlace && read.nameHash == echo
                if hash == nil { result.lost += 1 } else if !agree && !isCut { result.unproven += 1 }
            }
            offset += length
            sequence &+= 1
            found += 1
        }
        if let missing { result.lost += missing - found } else if found == 0 { result.lost += 1 }
        return result
    }

    /// Two witnesses stand in a frame: the hash in its head and the echo at its end.
    ///
    /// A whole frame that was moved here has both, and they agree; they speak of its own entry, not of the one that
    /// stood here, so a frame that is out of place is believed only where its head was destroyed. Where the two differ,
    /// the echo names an entry that may not be read, and nothing more: it may be damaged too, and another entry's loss.
    private static func hash(_ inHead: Bytes16, echo: Bytes16, isInPlace: Bool) -> Bytes16? {
        if isInPlace || inHead != echo { return echo }
        return nil
    }
}

/// The fields of a head that nothing vouches for.
private struct RawHead {
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
}

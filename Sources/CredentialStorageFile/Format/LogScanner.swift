package import CredentialStorage

/// Reads a log from a known position on, and tells frames, damage and the torn rest of an unfinished write apart.
///
/// It never trusts a length before the head that holds it is authentic, so damage to one frame cannot hide the ones
/// behind it: the next frame is found by its magic and its MAC, in steps of 16 bytes.
package struct LogScanner<Source: LogSource> {
    /// Whether the MAC of a head fits its place.
    package typealias Authenticate = (_ head: Span<UInt8>, _ offset: Int) -> Bool

    /// Whether something besides the frame itself tells that there is an entry of this hash.
    package typealias Vouch = (_ nameHash: Bytes16, _ frame: Range<Int>) throws(StorageFault) -> Bool

    private let source: Source
    private let authenticate: Authenticate
    private let vouch: Vouch

    package init(_ source: Source, authenticate: @escaping Authenticate, vouch: @escaping Vouch) {
        self.source = source
        self.authenticate = authenticate
        self.vouch = vouch
    }

    /// Reads the frames of commits that are known to be whole: up to a published tail.
    ///
    /// - Returns: `nil` when the bytes are not exactly that; the caller then scans the whole log under the lock.
    package func readPublished(from start: LogPosition, to tail: Int) throws(StorageFault) -> ScanResult? {
        var result = ScanResult(end: start)
        while result.end.offset < tail {
            guard let frame = try frame(at: result.end.offset), frame.end <= min(tail, source.size), frame.isEchoSound,
                frame.head.sequence == result.end.nextSequence, frame.head.previous == result.end.lastMAC
            else { return nil }
            try MemoryRoom.checkGrowth(of: result.items)
            result.items.append(.frame(frame))
            result.end = frame.positionAfter
        }
        return result.end.offset == tail ? result : nil
    }

    /// Reads everything behind a position where whole commits are known to end.
    ///
    /// The caller holds a lock that keeps writers out. What lies before the published tail was acknowledged, so it is
    /// never taken for a torn write.
    package func readAll(from start: LogPosition, published: Int?) throws(StorageFault) -> ScanResult {
        let dataEnd = try endOfData(from: start.offset)
        var result = ScanResult(end: start)
        var runs: [Run] = []
        var position = start
        var truncated: LocatedFrame?
        var known = KnownHashes()
        while position.offset < dataEnd {
            guard let frame = try nextFrame(from: position.offset, to: dataEnd) else { break }
            // A lower number is an older frame that was put back; its place counts as damaged, and its length is not
            // trusted: what was appended behind such damage may stand before its end.
            guard frame.head.sequence >= position.nextSequence else {
                position.offset = frame.offset + Layout.block
                continue
            }
            guard frame.end <= source.size else {
                truncated = frame
                break
            }
            // A larger gap is a hostile number, and gaps are added up.
            let missing = Int(min(frame.head.sequence - position.nextSequence, Layout.mostFrames))
            let gap = result.end.offset..<frame.offset
            if !gap.isEmpty || missing > 0 {
                result.items.append(.damage(try assess(gap, after: result, missing: missing, &known)))
            } else if frame.head.previous != position.lastMAC {
                result.chainBreaks += 1
            }
            Run.add(frame, index: result.items.count, before: result.end, to: &runs)
            try MemoryRoom.checkGrowth(of: result.items)
            result.items.append(.frame(frame))
            position = frame.positionAfter
            result.end = position
        }
        let tail = try judgeTail(result, runs.last, dataEnd: dataEnd, published: published ?? 0, truncated)
        switch tail {
        case .clean: break
        case .torn(let position, let firstItem, let end):
            result.items.removeSubrange(firstItem...)
            result.end = position
            result.torn = position.offset..<end
        case .damaged(let end):
            result.isShort = result.end.offset >= dataEnd && published ?? 0 > result.end.offset
            try addTailDamage(&result, to: end, &known)
            // Nothing may stand where later scans will look for the rest of a frame that was cut, nor count as older
            // than that frame once there are bytes in the place of its rest.
            if let truncated {
                result.end.offset = max(result.end.offset, truncated.end)
                result.end.nextSequence = max(result.end.nextSequence, truncated.head.sequence &+ 1)
            }
        }
        return result
    }

    private enum Tail {
        case clean
        case torn(from: LogPosition, firstItem: Int, to: Int)
        case damaged(to: Int)
    }

    /// Decides what the bytes behind the last whole commit are.
    private func judgeTail(
        _ result: ScanResult,
        _ last: Run?,
        dataEnd: Int,
        published: Int,
        _ truncated: LocatedFrame?
    ) throws(StorageFault) -> Tail {
        var tail = result.end
        var firstItem = result.items.count
        if let last {
            var isWhole = last.isWhole
            if isWhole { isWhole = try !hasZeroBlock(in: last.start.offset..<result.end.offset) }
            if !isWhole { (tail, firstItem) = (last.start, last.firstItem) }
        }
        let end = max(dataEnd, result.end.offset)
        let room = source.size - end
        // A file that was cut exactly behind a frame shows it by the missing room only; an older state ends in an echo.
        guard end > tail.offset else {
            let isCut = published > end && !result.endsInEcho
            return isCut || room < Layout.block ? .damaged(to: end) : .clean
        }
        let isTorn: Bool
        if truncated != nil || published > tail.offset || end - tail.offset > Layout.maximumCommitBytes {
            isTorn = false
        } else if try LaterCommit.isFound(behind: tail, before: end, source) {
            isTorn = false
        } else if room < Layout.block {
            // A cut that took a commit would have left its beginning, which stands at the tail and is not zero.
            let lastBlock = (end - 1) / Layout.block * Layout.block
            isTorn = tail.offset >= lastBlock ? false : try isZero(tail.offset..<lastBlock)
        } else if end - tail.offset < Layout.minimumFrame {
            isTorn = true
        } else if let last, end - result.end.offset < last.missingAtEnd * Layout.minimumFrame {
            // The last frames are missing, and what is there cannot be all of them: only zeros follow.
            isTorn = true
        } else {
            isTorn = try hasZeroBlock(in: tail.offset..<end)
        }
        if isTorn { return .torn(from: tail, firstItem: firstItem, to: end) }
        let isMissing = result.end.offset < max(dataEnd, published)
        return isMissing || room < Layout.block ? .damaged(to: dataEnd) : .clean
    }

    private func addTailDamage(
        _ result: inout ScanResult,
        to end: Int,
        _ known: inout KnownHashes
    ) throws(StorageFault) {
        let start = result.end.offset
        var damage = try assess(start..<max(start, end), after: result, missing: nil, &known)
        // Where the file was cut, nothing tells how much more there was.
        if source.size - end < Layout.block, start < end { damage.lost += 1 }
        result.items.append(.damage(damage))
        // The numbers of the destroyed frames are never used again, so that later scans find the same gap.
        result.end.offset = (max(start, end) + Layout.block - 1) / Layout.block * Layout.block
        result.end.nextSequence &+= UInt64(damage.lost + damage.frames.count { $0.nameHash != nil })
    }

    private func assess(
        _ gap: Range<Int>,
        after result: ScanResult,
        missing: Int?,
        _ known: inout KnownHashes
    ) throws(StorageFault) -> DamagedRange {
        try MemoryRoom.check(result.items.count * 3 * MemoryLayout<Bytes16>.stride)
        known.learn(result.items)
        let (vouch, present) = (vouch, known)
        return try DamageAssessment(range: gap, expected: result.end, missing: missing) {
            (hash, frame) throws(StorageFault) in
            if present.hashes.contains(hash) { return true }
            return try vouch(hash, frame)
        }.assess(source)
    }

    private func nextFrame(from offset: Int, to end: Int) throws(StorageFault) -> LocatedFrame? {
        var offset = offset
        while offset + Layout.headLength <= end {
            if let frame = try frame(at: offset) { return frame }
            offset = try nextMagic(from: offset + Layout.block, to: end)
        }
        return nil
    }

    /// The next place where a frame may begin, or `end`.
    private func nextMagic(from offset: Int, to end: Int) throws(StorageFault) -> Int {
        var offset = offset
        while offset + Layout.headLength <= end {
            let count = min(64 * 1024, end - offset)
            let found = try source.withBytes(at: offset, count: count) { bytes -> Int? in
                var place = 0
                while place + 4 <= bytes.count {
                    if bytes.load(UInt32.self, at: place) == FrameHead.magicNumber { return place }
                    place += Layout.block
                }
                return nil
            }
            if let found { return offset + found }
            offset += (count + Layout.block - 1) / Layout.block * Layout.block
            // Holes are skipped, so that a huge file of nothing costs nothing.
            guard offset < end, let data = try source.nextData(from: offset) else { return end }
            offset += max(0, data - offset) / Layout.block * Layout.block
        }
        return end
    }

    /// The frame whose head stands at the offset, if that head is authentic.
    ///
    /// Its end may lie beyond the file.
    private func frame(at offset: Int) throws(StorageFault) -> LocatedFrame? {
        guard offset + Layout.headLength <= source.size else { return nil }
        let found = try source.withBytes(at: offset, count: Layout.headLength) { bytes -> (FrameHead, UInt64)? in
            guard let head = FrameHead(bytes, at: 0), authenticate(bytes, offset) else { return nil }
            return (head, bytes.load(UInt64.self, at: FrameHead.macPlace.lowerBound))
        }
        guard let (head, mac) = found else { return nil }
        var frame = LocatedFrame(offset: offset, head: head, mac: mac, isEchoSound: true)
        guard frame.end <= source.size else { return frame }
        let echo = try source.withBytes(at: frame.end - Layout.echoLength, count: Layout.echoLength) { bytes in
            Bytes16(bytes)
        }
        frame.isEchoSound = echo == head.nameHash
        return frame
    }

    private func isZero(_ range: Range<Int>) throws(StorageFault) -> Bool {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 64 * 1024) {
            let piece = start..<min(start + 64 * 1024, range.upperBound)
            guard try lastByte(in: piece) == nil else { return false }
        }
        return true
    }

    private func hasZeroBlock(in range: Range<Int>) throws(StorageFault) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(64 * 1024, range.upperBound - offset)
            if try source.withBytes(at: offset, count: count, { $0.hasZeroBlock }) { return true }
            offset += count
        }
        return false
    }

    /// The end of the last block at or behind `start` that is not zero, in steps of 16 from `start`.
    private func endOfData(from start: Int) throws(StorageFault) -> Int {
        var end = source.size
        // The room behind a log is at most about a megabyte; it is read backwards.
        let nearby = max(start, end - 4 << 20)
        while end > nearby {
            let count = min(64 * 1024, end - nearby)
            if let last = try lastByte(in: end - count..<end) { return blockEnd(of: last, from: start) }
            end -= count
        }
        // Somebody made the file much longer: its holes are skipped.
        var found: Int?
        var offset = start
        while offset < end, let data = try source.nextData(from: offset), data < end {
            let chunk = max(offset, data)..<min(max(offset, data) + 64 * 1024, end)
            found = try lastByte(in: chunk) ?? found
            offset = chunk.upperBound
        }
        return found.map { blockEnd(of: $0, from: start) } ?? start
    }

    private func blockEnd(of place: Int, from start: Int) -> Int {
        min(source.size, start + (place - start) / Layout.block * Layout.block + Layout.block)
    }

    /// The last byte that is not zero.
    private func lastByte(in range: Range<Int>) throws(StorageFault) -> Int? {
        let last = try source.withBytes(at: range.lowerBound, count: range.count) { $0.lastNonzero }
        return last.map { range.lowerBound + $0 }
    }
}

extension LocatedFrame {
    var positionAfter: LogPosition {
        LogPosition(offset: end, nextSequence: head.sequence &+ 1, lastMAC: mac, lastFrameOffset: offset)
    }
}

package import CredentialStorage

/// Reads a log from a known position on, and tells frames, damage and the torn rest of an unfinished write apart.
///
/// It never trusts a length before the head that holds it is authentic, so damage to one frame cannot hide the ones
/// behind it: the next frame is found by its magic and its MAC, in steps of 16 bytes.
package struct LogScanner<Source: LogSource> {
    /// Whether the MAC of a head fits its place.
    package typealias Authenticate = (_ head: Span<UInt8>, _ offset: Int) -> Bool

    private let source: Source
    private let authenticate: Authenticate

    package init(_ source: Source, authenticate: @escaping Authenticate) {
        self.source = source
        self.authenticate = authenticate
    }

    /// Reads the frames of commits that are known to be whole: up to a published tail.
    ///
    /// - Returns: `nil` when the bytes are not exactly that; the caller then scans the whole log under the lock.
    package func readPublished(from start: LogPosition, to tail: Int) throws(StorageFault) -> ScanResult? {
        var result = ScanResult(end: start)
        while result.end.offset < tail {
            guard let frame = try frame(at: result.end.offset), frame.end <= tail, frame.isEchoSound,
                frame.head.sequence == result.end.nextSequence, frame.head.previous == result.end.lastMAC
            else { return nil }
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
        var isTruncated = false
        while position.offset < dataEnd {
            guard let frame = try nextFrame(from: position.offset, to: dataEnd) else { break }
            guard frame.end <= source.size else {
                isTruncated = true
                break
            }
            // A lower number is an older frame that was put back; its place counts as damaged.
            guard frame.head.sequence >= position.nextSequence else {
                position.offset = frame.end
                continue
            }
            let missing = Int(clamping: frame.head.sequence - position.nextSequence)
            let gap = result.end.offset..<frame.offset
            if !gap.isEmpty || missing > 0 {
                result.items.append(.damage(try assess(gap, after: result.end, missing: missing)))
            } else if frame.head.previous != position.lastMAC {
                result.chainBreaks += 1
            }
            Run.add(frame, index: result.items.count, before: result.end, to: &runs)
            result.items.append(.frame(frame))
            position = frame.positionAfter
            result.end = position
        }
        try settleTail(&result, runs, dataEnd: dataEnd, published: published ?? 0, isTruncated: isTruncated)
        return result
    }

    /// Decides what the bytes behind the last whole commit are.
    private func settleTail(
        _ result: inout ScanResult,
        _ runs: [Run],
        dataEnd: Int,
        published: Int,
        isTruncated: Bool
    ) throws(StorageFault) {
        var tail = result.end
        var firstItem = result.items.count
        if let last = runs.last {
            var isWhole = last.isWhole
            if isWhole { isWhole = try !hasZeroBlock(in: last.start.offset..<result.end.offset) }
            if !isWhole {
                tail = last.start
                firstItem = last.firstItem
            }
        }
        let end = max(dataEnd, result.end.offset)
        let room = source.size - end
        guard end > tail.offset else {
            // A file that was cut exactly behind a frame shows it by the missing room only.
            if room < Layout.block { try addTailDamage(&result, from: result.end.offset, to: result.end.offset) }
            return
        }
        let isTorn: Bool
        if isTruncated || published > tail.offset || room < Layout.block {
            isTorn = false
        } else if end - tail.offset < Layout.minimumFrame {
            isTorn = true
        } else if result.end.offset >= end, runs.last?.isWhole == false {
            // Frames are missing, and behind the ones that are there is nothing but zeros.
            isTorn = true
        } else {
            isTorn = try hasZeroBlock(in: tail.offset..<end)
        }
        if isTorn {
            result.items.removeSubrange(firstItem...)
            result.end = tail
            result.torn = tail.offset..<end
        } else if result.end.offset < dataEnd {
            try addTailDamage(&result, from: result.end.offset, to: dataEnd)
        } else if room < Layout.block {
            try addTailDamage(&result, from: dataEnd, to: dataEnd)
        }
    }

    private func addTailDamage(_ result: inout ScanResult, from start: Int, to end: Int) throws(StorageFault) {
        var damage = try assess(start..<end, after: result.end, missing: nil)
        // Where the file was cut, nothing tells how much more there was.
        if source.size - end < Layout.block, start < end { damage.lost += 1 }
        result.items.append(.damage(damage))
        // The numbers of the destroyed frames are never used again, so that the gap stays visible.
        result.end.offset = end
        result.end.nextSequence &+= UInt64(max(1, max(damage.frames.count, damage.lost)))
    }

    private func assess(_ gap: Range<Int>, after end: LogPosition, missing: Int?) throws(StorageFault) -> DamagedRange {
        try DamageAssessment(range: gap, expected: end, missing: missing).assess(source)
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

    private func hasZeroBlock(in range: Range<Int>) throws(StorageFault) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(64 * 1024, range.upperBound - offset)
            let found = try source.withBytes(at: offset, count: count) { bytes -> Bool in
                var place = 0
                while place + Layout.block <= bytes.count {
                    if bytes.isZero(place..<place + Layout.block) { return true }
                    place += Layout.block
                }
                return false
            }
            if found { return true }
            offset += count
        }
        return false
    }

    /// The end of the last block at or behind `start` that is not zero, in steps of 16 from `start`.
    private func endOfData(from start: Int) throws(StorageFault) -> Int {
        var end = source.size
        while end > start {
            let count = min(64 * 1024, end - start)
            let lastByte = try source.withBytes(at: end - count, count: count) { bytes -> Int? in
                for index in bytes.indices.reversed() where bytes[index] != 0 { return index }
                return nil
            }
            if let lastByte {
                let last = end - count + lastByte
                return min(source.size, start + (last - start) / Layout.block * Layout.block + Layout.block)
            }
            end -= count
        }
        return start
    }
}

extension LocatedFrame {
    var positionAfter: LogPosition {
        LogPosition(offset: end, nextSequence: head.sequence &+ 1, lastMAC: mac, lastFrameOffset: offset)
    }
}

/// The frames of one commit that follow each other without a gap.
private struct Run {
    let commitStart: UInt64
    let start: LogPosition
    let firstItem: Int
    var nextOffset: Int
    var count: UInt32
    let commitCount: UInt32
    var isUnbroken: Bool

    var isWhole: Bool { isUnbroken && count == commitCount }

    static func add(_ frame: LocatedFrame, index: Int, before: LogPosition, to runs: inout [Run]) {
        if var last = runs.last, last.commitStart == frame.commitStart, last.commitCount == frame.head.commitCount {
            last.isUnbroken = last.isUnbroken && last.nextOffset == frame.offset && frame.head.position == last.count
            last.count += 1
            last.nextOffset = frame.end
            runs[runs.count - 1] = last
            return
        }
        // Only the last commit can be torn, so the earlier ones need not be kept.
        runs.removeAll(keepingCapacity: true)
        // A commit whose first frames are gone begins where the frame before them ended, damage included.
        let isFirst = frame.head.position == 0
        let start =
            isFirst
            ? LogPosition(
                offset: frame.offset, nextSequence: frame.head.sequence, lastMAC: before.lastMAC,
                lastFrameOffset: before.lastFrameOffset)
            : before
        let hasDamageItem = before.offset < frame.offset || before.nextSequence < frame.head.sequence
        runs.append(
            Run(
                commitStart: frame.commitStart, start: start,
                firstItem: !isFirst && hasDamageItem ? index - 1 : index,
                nextOffset: frame.end, count: 1, commitCount: frame.head.commitCount, isUnbroken: isFirst))
    }
}

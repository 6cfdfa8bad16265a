/// The frames of one commit that follow each other without a gap.
struct Run {
    let commitStart: UInt64
    let start: LogPosition
    let firstItem: Int
    var nextOffset: Int
    var count: UInt32
    let commitCount: UInt32
    var isUnbroken: Bool

    /// The place of the last frame that is there, in its commit.
    var lastPosition: UInt32

    var isWhole: Bool { isUnbroken && count == commitCount }
    /// How many frames are missing behind those that are there.
    var missingAtEnd: Int { Int(commitCount - lastPosition) - 1 }

    static func add(_ frame: LocatedFrame, index: Int, before: LogPosition, to runs: inout [Run]) {
        if var last = runs.last, last.commitStart == frame.commitStart, last.commitCount == frame.head.commitCount {
            last.isUnbroken = last.isUnbroken && last.nextOffset == frame.offset && frame.head.position == last.count
            last.count += 1
            last.nextOffset = frame.end
            last.lastPosition = frame.head.position
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
                nextOffset: frame.end, count: 1, commitCount: frame.head.commitCount, isUnbroken: isFirst,
                lastPosition: frame.head.position))
    }
}

/// The name hashes of the frames that a scan met so far; gathered only where there is damage.
///
/// Those of index frames are not among them: they name no entry, and erased storage looks like them.
struct KnownHashes {
    private(set) var hashes: Set<Bytes16> = []
    private var seen = 0

    mutating func learn(_ items: [ScanItem]) {
        for item in items[seen...] {
            switch item {
            case .frame(let frame): if frame.head.kind != .index { hashes.insert(frame.head.nameHash) }
            case .damage(let damage): hashes.formUnion(damage.frames.compactMap(\.nameHash))
            }
        }
        seen = items.count
    }
}

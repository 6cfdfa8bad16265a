package import CredentialStorage

/// The bytes of a log, wherever they are: a file, a private copy in memory, a test's array.
package protocol LogSource {
    /// Where the bytes end.
    var size: Int { get }

    /// Gives `count` bytes from `offset` on; the range lies within ``size``.
    func withBytes<R>(
        at offset: Int,
        count: Int,
        _ body: (Span<UInt8>) throws(StorageFault) -> R
    ) throws(StorageFault) -> R

    /// The first byte at or behind `offset` that is not in a hole, or `nil` when only a hole is left.
    func nextData(from offset: Int) throws(StorageFault) -> Int?
}

/// Where a scan stands, and what the next frame must say to follow on.
package struct LogPosition: Sendable, Equatable {
    package var offset: Int
    package var nextSequence: UInt64
    /// First half of the last frame's MAC, or of the log id.
    package var lastMAC: UInt64
    package var lastFrameOffset: Int

    package init(offset: Int, nextSequence: UInt64, lastMAC: UInt64, lastFrameOffset: Int) {
        self.offset = offset
        self.nextSequence = nextSequence
        self.lastMAC = lastMAC
        self.lastFrameOffset = lastFrameOffset
    }

    package init(startOf header: VaultHeader) {
        self.init(
            offset: Int(header.logStart), nextSequence: header.baseSequence &+ 1, lastMAC: header.logID.first,
            lastFrameOffset: 0)
    }
}

/// A frame whose head is authentic.
package struct LocatedFrame: Sendable, Equatable {
    package var offset: Int
    package var head: FrameHead
    /// First half of its MAC.
    package var mac: UInt64
    package var isEchoSound: Bool

    package var end: Int { offset + head.frameLength }
    /// The sequence of the first frame of its commit; the same for all frames of one commit.
    var commitStart: UInt64 { head.sequence &- UInt64(head.position) }
}

/// A frame that damage destroyed.
package struct DamagedFrame: Sendable, Equatable {
    package var offset: Int
    package var length: Int
    package var kind: FrameKind?
    /// Whose frame it was, where that can be told.
    package var nameHash: Bytes16?
}

/// A stretch of the log that holds no authentic frame.
package struct DamagedRange: Sendable, Equatable {
    package var range: Range<Int>
    package var frames: [DamagedFrame]
    /// Frames whose name nothing tells.
    package var lost: Int
}

/// What a scan met, in file order.
package enum ScanItem: Sendable, Equatable {
    case frame(LocatedFrame)
    case damage(DamagedRange)
}

/// What a scan found.
package struct ScanResult: Sendable, Equatable {
    package var items: [ScanItem] = []
    /// Where the next frame goes.
    package var end: LogPosition
    /// The rest of a write that was never acknowledged; it may be zeroed.
    package var torn: Range<Int>?
    /// Whether the record proves that more was published behind the last frame, and nothing is there.
    package var isShort = false
    /// Frames that do not name the one before them: the mark of a copy that went its own way.
    package var chainBreaks = 0

    var endOfLastFrame: Int? {
        for case .frame(let frame) in items.reversed() { return frame.end }
        return nil
    }

    /// Whether the echo of the last frame is sound, as it is in every state that ever was.
    var endsInEcho: Bool {
        for case .frame(let frame) in items.reversed() { return frame.isEchoSound }
        return true
    }

    /// Where the last commit begins.
    var startOfLastCommit: Int? {
        for case .frame(let frame) in items.reversed() where frame.head.position == 0 { return frame.offset }
        return nil
    }
}

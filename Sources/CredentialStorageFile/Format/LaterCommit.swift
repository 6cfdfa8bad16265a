internal import CredentialStorage

/// Looks for a commit behind one that might be torn.
///
/// A power cut leaves one torn commit at most, because each is on the disk before the next is begun. So where a head tells
/// of a later one, though it proves nothing, what stands there was acknowledged and is damaged.
enum LaterCommit {
    /// What of a head is looked at: position, count and sequence.
    private static let place = 12..<32

    static func isFound(
        behind tail: LogPosition,
        before end: Int,
        _ source: some LogSource
    ) throws(StorageFault) -> Bool {
        // So many frames have room, and no number is higher.
        let most = UInt64((end - tail.offset + Layout.minimumFrame - 1) / Layout.minimumFrame)
        var offset = tail.offset + Layout.block
        while offset + place.upperBound <= end {
            let count = min(64 * 1024, end - offset)
            let isFound = try source.withBytes(at: offset, count: count) { bytes in
                for start in stride(from: 0, through: count - place.upperBound, by: Layout.block)
                where tells(of: bytes, at: start, after: tail.nextSequence, most) {
                    return true
                }
                return false
            }
            if isFound { return true }
            // The last block of a piece is the first of the next, for a head reaches over its end.
            offset += max(Layout.block, (count - place.upperBound) / Layout.block * Layout.block)
        }
        return false
    }

    private static func tells(of bytes: Span<UInt8>, at start: Int, after next: UInt64, _ most: UInt64) -> Bool {
        let sequence = bytes.load(UInt64.self, at: start + 24)
        guard sequence > next, sequence - next < most else { return false }
        let position = bytes.load(UInt32.self, at: start + place.lowerBound)
        let count = bytes.load(UInt32.self, at: start + 16)
        guard count >= 1, count <= UInt32(Layout.maximumCommitFrames), position < count else { return false }
        return sequence - next > UInt64(position)
    }
}

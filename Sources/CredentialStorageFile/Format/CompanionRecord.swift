/// The published record: a hint that sends readers to the file, and a witness against older states.
///
/// It never decides what is kept or dropped.
package struct CompanionRecord: Sendable, Equatable {
    package static let length = 128
    package static let macPlace = 112..<128

    /// One more with each publication; readers compare only this.
    package var word: UInt64
    package var tail: UInt64
    /// The sequence of the last published frame.
    package var sequence: UInt64
    package var indexOffset: UInt64
    package var logID: Bytes16
    package var fileID: Bytes16
    package var headerSequence: UInt32
    package var isDirectorySynced: Bool
    package var lastFrameOffset: UInt64
    /// First half of the last frame's MAC, or of the log id where there is no frame.
    package var lastMAC: UInt64
    package var bootTag: Bytes16

    package init(
        word: UInt64, tail: UInt64, sequence: UInt64, indexOffset: UInt64, logID: Bytes16, fileID: Bytes16,
        headerSequence: UInt32, isDirectorySynced: Bool, lastFrameOffset: UInt64, lastMAC: UInt64, bootTag: Bytes16
    ) {
        self.word = word
        self.tail = tail
        self.sequence = sequence
        self.indexOffset = indexOffset
        self.logID = logID
        self.fileID = fileID
        self.headerSequence = headerSequence
        self.isDirectorySynced = isDirectorySynced
        self.lastFrameOffset = lastFrameOffset
        self.lastMAC = lastMAC
        self.bootTag = bootTag
    }

    /// Bytes 0…111, which the MAC covers.
    package var encoded: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(Layout.companionSize)
        result.append(word)
        result.append(tail)
        result.append(sequence)
        result.append(indexOffset)
        result.append(logID)
        result.append(fileID)
        result.append(headerSequence)
        result.append(UInt32(isDirectorySynced ? 1 : 0))
        result.append(lastFrameOffset)
        result.append(lastMAC)
        result.append(bootTag)
        result += Self.mark
        return result
    }

    private static let mark = [UInt8](repeating: 0xFF, count: 8)
    private static let markPlace = 104..<112

    /// Whether the bytes have what tells a record, whole or not, from other contents without a key.
    package static func isMarked(_ bytes: [UInt8]) -> Bool {
        bytes.count >= markPlace.upperBound && bytes[markPlace].elementsEqual(mark)
    }

    /// Reads the fields; the caller has checked the MAC.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= Self.length else { return nil }
        self.init(
            word: bytes.load(UInt64.self, at: 0),
            tail: bytes.load(UInt64.self, at: 8),
            sequence: bytes.load(UInt64.self, at: 16),
            indexOffset: bytes.load(UInt64.self, at: 24),
            logID: Bytes16(bytes, at: 32),
            fileID: Bytes16(bytes, at: 48),
            headerSequence: bytes.load(UInt32.self, at: 64),
            isDirectorySynced: bytes.load(UInt32.self, at: 68) & 1 != 0,
            lastFrameOffset: bytes.load(UInt64.self, at: 72),
            lastMAC: bytes.load(UInt64.self, at: 80),
            bootTag: Bytes16(bytes, at: 88))
        guard tail <= UInt64(Layout.maximumFileSize) else { return nil }
    }
}

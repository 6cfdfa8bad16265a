/// What a frame records.
package enum FrameKind: UInt8, Sendable {
    case value = 1
    case delete = 2
    case index = 3
}

/// The head of a frame, but for its nonce, tag and MAC.
package struct FrameHead: Sendable, Equatable {
    package static let magic: [UInt8] = Array("SCF1".utf8)
    /// `SCF1` as a number.
    package static let magicNumber: UInt32 = 0x3146_4353
    package static let noncePlace = 56..<80
    package static let tagPlace = 80..<96
    package static let macPlace = 96..<112

    package var kind: FrameKind
    package var bodyLength: Int
    package var position: UInt32
    package var commitCount: UInt32
    package var headerSequence: UInt32
    package var sequence: UInt64
    /// First half of the previous frame's MAC, or of the log id.
    package var previous: UInt64
    package var nameHash: Bytes16

    package init(
        kind: FrameKind, bodyLength: Int, position: UInt32, commitCount: UInt32, headerSequence: UInt32,
        sequence: UInt64, previous: UInt64, nameHash: Bytes16
    ) {
        self.kind = kind
        self.bodyLength = bodyLength
        self.position = position
        self.commitCount = commitCount
        self.headerSequence = headerSequence
        self.sequence = sequence
        self.previous = previous
        self.nameHash = nameHash
    }

    package var frameLength: Int { Layout.frameOverhead + bodyLength }

    /// Bytes 0…55.
    package var encoded: [UInt8] {
        var result = Self.magic
        result.reserveCapacity(Layout.headLength)
        result.append(kind.rawValue)
        result += [0xFF, 0xFF, 0xFF]
        result.append(UInt32(bodyLength))
        result.append(position)
        result.append(commitCount)
        result.append(headerSequence)
        result.append(sequence)
        result.append(previous)
        result.append(nameHash)
        return result
    }

    /// Reads a head whose MAC has been checked, or raw fields that nothing vouches for.
    ///
    /// `nil` when the fields are impossible; sizes are bounded here, before anything uses them.
    package init?(_ bytes: Span<UInt8>, at offset: Int) {
        guard offset + Layout.headLength <= bytes.count,
            bytes.load(UInt32.self, at: offset) == Self.magicNumber,
            let kind = FrameKind(rawValue: bytes[offset + 4])
        else { return nil }
        let bodyLength = Int(bytes.load(UInt32.self, at: offset + 8))
        guard bodyLength <= Layout.maximumBody, bodyLength % Layout.block == 0, (bodyLength == 0) == (kind == .delete)
        else { return nil }
        self.init(
            kind: kind,
            bodyLength: bodyLength,
            position: bytes.load(UInt32.self, at: offset + 12),
            commitCount: bytes.load(UInt32.self, at: offset + 16),
            headerSequence: bytes.load(UInt32.self, at: offset + 20),
            sequence: bytes.load(UInt64.self, at: offset + 24),
            previous: bytes.load(UInt64.self, at: offset + 32),
            nameHash: Bytes16(bytes, at: offset + 40))
        guard commitCount >= 1, commitCount <= UInt32(Layout.maximumCommitFrames), position < commitCount else {
            return nil
        }
    }
}

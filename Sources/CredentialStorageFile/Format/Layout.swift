/// The fixed numbers of format 1.
///
/// `FORMAT.md` explains each.
package enum Layout {
    package static let magic: [UInt8] = [0x89, 0x53, 0x43, 0x56, 0x0D, 0x0A, 0x1A, 0x0A]
    package static let version: UInt16 = 1

    /// Both header copies have this much room, one after the other; the log follows.
    package static let headerRoom = 8192
    package static let logStart = 16384
    package static let headerFixedLength = 160
    package static let headerHashesLength = 64

    package static let slotFixedLength = 138
    package static let maximumSlots = 8

    package static let headLength = 112
    package static let echoLength = 16
    package static let block = 16
    package static let frameOverhead = headLength + echoLength
    package static let minimumFrame = headLength + echoLength

    package static let sector = 512
    /// The file is always at least so long, so that the first writes need no extension.
    package static let initialSize = 65536
    package static let maximumFileSize = 1 << 40
    /// More frames than this never stood in one file.
    package static let mostFrames = UInt64(maximumFileSize / minimumFrame)
    package static let maximumBody = (1 << 24) + (1 << 21)
    package static let maximumCommitFrames = 65536
    package static let maximumCommitBytes = 64 << 20

    package static let plaintextPrefix = 6
    package static let maximumValue = 1 << 24

    package static let companionSize = 4096
    /// Named locks are single bytes from here on, far behind the end of the companion.
    package static let lockBase = 1 << 40
}

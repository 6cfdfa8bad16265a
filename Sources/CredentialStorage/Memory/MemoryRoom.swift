internal import CCredentialShims

/// Asks for room before the language allocates, because it ends the process where an allocation fails.
///
/// Only what grows with a user's data asks. Another thread may take the room meanwhile; then nothing helps.
package enum MemoryRoom {
    /// Sizes that no data of a user's makes larger; asking would cost more than it tells.
    private static let small = 64 * 1024
    /// What is left for everything that does not ask.
    private static let reserve = 1 << 20

    package static func isThere(for bytes: Int) -> Bool { bytes <= small || ccs_has_memory(bytes + reserve) == 1 }

    package static func check(_ bytes: Int) throws(StorageFault) {
        guard isThere(for: bytes) else { throw .noMemory }
    }

    /// Asks when the next element would make an array grow, which moves all of it.
    package static func checkGrowth<Element>(of array: [Element]) throws(StorageFault) {
        guard array.count == array.capacity else { return }
        try check(3 * array.count * MemoryLayout<Element>.stride)
    }
}

/// The bytes of many copies, asked for a piece at a time.
package struct MemoryBudget {
    private var granted = 0
    private static let piece = 1 << 20

    package init() {}

    package mutating func spend(_ bytes: Int) throws(StorageFault) {
        granted -= bytes
        guard granted < 0 else { return }
        try MemoryRoom.check(max(bytes, Self.piece))
        granted = max(0, Self.piece - bytes)
    }
}

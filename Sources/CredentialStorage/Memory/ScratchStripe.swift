internal import CCredentialShims
internal import Synchronization

/// Memory for one buffer that lives no longer than one operation.
///
/// An arena has a few, and each thread asks for the same one, so that threads that read at the same time touch
/// nothing in common.
@safe
final class ScratchStripe: @unchecked Sendable {
    // Unchecked: whoever took the stripe has `region` for itself.
    private let isTaken = Atomic(false)
    private var region: SecureArena.Region?
    // Another stripe's flag would be in the same line of the processor's cache.
    private let spacing: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

    /// What does not fit comes from the arena.
    static let largest = 16 * 1024

    var isLocked: Bool { region?.isLocked ?? false }

    /// Takes this memory.
    ///
    /// - Parameters:
    ///   - count: How many bytes are wanted.
    ///   - makeRegion: Makes a region in the place of one that is too small.
    /// - Returns: The start of as many zeros; `nil` where it is taken, or no memory was given.
    func take(_ count: Int, _ makeRegion: (SecureArena.Region?) -> SecureArena.Region?) -> UnsafeMutableRawPointer? {
        guard !isTaken.exchange(true, ordering: .acquiring) else { return nil }
        if let region, region.length >= count { return unsafe region.start }
        guard let made = makeRegion(region) else {
            isTaken.store(false, ordering: .releasing)
            return nil
        }
        region = made
        return unsafe made.start
    }

    func giveBack(_ count: Int) {
        if let region { unsafe ccs_wipe(region.start, count) }
        isTaken.store(false, ordering: .releasing)
    }
}

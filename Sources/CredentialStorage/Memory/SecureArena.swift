internal import CCredentialShims

/// Hands out pieces of large guarded regions that are left out of core dumps and, where the system allows it, locked.
///
/// One mapping per secret would end at the kernel's limit of mappings (32 752 secrets), and each lock is rounded up
/// to a page; pieces of shared regions avoid both. Regions grow with demand, so that a small store does not use
/// up the few megabytes that an ordinary user may lock.
@safe
package final class SecureArena: Sendable {
    /// The arena of buffers that belong to no store.
    package static let shared = SecureArena()

    /// One guarded region, cut into pieces of one size.
    @safe
    final class Region: @unchecked Sendable {
        // Unchecked: `free` is touched under the arena's lock only, the rest never changes.
        let start: UnsafeMutableRawPointer
        let length: Int
        let pieceSize: Int
        let isLocked: Bool
        var free: [UInt32]

        init?(length: Int, pieceSize: Int) {
            guard let start = unsafe ccs_guarded_map(length) else { return nil }
            unsafe self.start = unsafe start
            self.length = length
            self.pieceSize = pieceSize
            isLocked = unsafe ccs_lock_memory(start, length) == 0
            free = (0..<UInt32(length / pieceSize)).reversed()
        }

        deinit { unsafe ccs_guarded_unmap(start, length) }

        var isEmpty: Bool { free.count == length / pieceSize }
    }

    private struct SizeClass {
        var open: [Region] = []
        var regionCount = 0
    }

    private struct State {
        var classes: [SizeClass] = Array(repeating: SizeClass(), count: SizeClasses.count)
        var mapped = 0
        var locked = 0
    }

    private let state = Locked(State())
    private let policy: LockedMemoryPolicy
    private let stripes = (0..<8).map { _ in ScratchStripe() }

    /// Makes an arena; one that demands locked memory gives out no other.
    package init(_ policy: LockedMemoryPolicy = .preferred) { self.policy = policy }

    /// What was reached for all that this arena holds now.
    package var lockState: Protection.Memory {
        state.withLock { state in
            if state.mapped == state.locked { return .locked }
            return state.locked == 0 ? .notLocked : .partlyLocked
        }
    }

    func allocate(_ count: Int) throws(StorageFault) -> (region: Region, piece: UInt32) {
        let sizeClass = SizeClasses.index(for: count)
        let pieceSize = SizeClasses.size(of: sizeClass, for: count)
        return try state.withLock { (state) throws(StorageFault) in
            if let region = state.classes[sizeClass].open.last { return take(from: region, sizeClass, &state) }
            let length = regionLength(pieceSize: pieceSize, made: state.classes[sizeClass].regionCount)
            guard let region = Region(length: length, pieceSize: pieceSize) else { throw .noMemory }
            guard region.isLocked || policy == .preferred else { throw .unavailable(.memoryNotLocked) }
            state.mapped += length
            if region.isLocked { state.locked += length }
            state.classes[sizeClass].regionCount += 1
            state.classes[sizeClass].open.append(region)
            return take(from: region, sizeClass, &state)
        }
    }

    /// Memory for one short operation of the calling thread; `nil` where there is none for it at hand.
    func takeScratch(_ count: Int) -> (stripe: ScratchStripe, address: UnsafeMutableRawPointer)? {
        guard count <= ScratchStripe.largest else { return nil }
        let stripe = stripes[Int(ccs_thread_number() % 8)]
        guard let address = unsafe stripe.take(count, { makeScratch(count, insteadOf: $0) }) else { return nil }
        return unsafe (stripe, address)
    }

    private func makeScratch(_ count: Int, insteadOf old: Region?) -> Region? {
        let page = Int(ccs_page_size())
        let length = (count + page - 1) / page * page
        guard let region = Region(length: length, pieceSize: length), region.isLocked || policy == .preferred else {
            return nil
        }
        state.withLock { state in
            state.mapped += region.length - (old?.length ?? 0)
            state.locked += (region.isLocked ? region.length : 0) - (old?.isLocked == true ? old?.length ?? 0 : 0)
        }
        return region
    }

    private func take(from region: Region, _ sizeClass: Int, _ state: inout State) -> (Region, UInt32) {
        let piece = region.free.removeLast()
        if region.free.isEmpty { state.classes[sizeClass].open.removeLast() }
        return (region, piece)
    }

    func release(_ region: Region, _ piece: UInt32) {
        let sizeClass = SizeClasses.index(for: region.pieceSize)
        unsafe ccs_wipe(region.start + Int(piece) * region.pieceSize, region.pieceSize)
        // After a fork the mutex may be locked for ever; the child's copy of the region just stays.
        guard ForkGuard.isOriginalProcess else { return }
        state.withLock { state in
            if region.free.isEmpty { state.classes[sizeClass].open.append(region) }
            region.free.append(piece)
            // The last region of a class stays, so that a store that reads one entry at a time does not map each time.
            guard region.isEmpty, state.classes[sizeClass].open.count > 1 || sizeClass == SizeClasses.oversized,
                let place = state.classes[sizeClass].open.firstIndex(where: { $0 === region })
            else { return }
            state.classes[sizeClass].open.remove(at: place)
            state.classes[sizeClass].regionCount -= 1
            state.mapped -= region.length
            if region.isLocked { state.locked -= region.length }
        }
    }

    /// A first region of one or a few pages, then larger ones up to 1 MiB, or to one piece where that is more.
    private func regionLength(pieceSize: Int, made: Int) -> Int {
        let page = Int(ccs_page_size())
        let wished = min(16 * 1024 << min(made, 6), 1024 * 1024)
        return (max(wished, pieceSize) + page - 1) / page * page
    }
}

/// Piece sizes: 32, 48, 64, 96, 128, … up to 2 MiB, and one class for anything larger.
enum SizeClasses {
    private static let sizes: [Int] = (5...20).flatMap { [1 << $0, 3 << ($0 - 1)] } + [1 << 21]
    static let count = sizes.count + 1
    static let oversized = sizes.count

    static func index(for count: Int) -> Int {
        var low = 0
        var high = sizes.count
        while low < high {
            let middle = (low + high) / 2
            if sizes[middle] < count { low = middle + 1 } else { high = middle }
        }
        return low
    }

    static func size(of index: Int, for count: Int) -> Int { index == oversized ? count : sizes[index] }
}

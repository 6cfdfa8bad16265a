internal import CredentialStorage

/// Where an entry's last frame is.
struct EntrySlot: Sendable {
    enum State: UInt8, Sendable { case live, deleted, damaged }

    var offset: Int
    var bodyLength: Int
    var state: State
    /// An older frame of the same entry that may still tell its name; 0 for none.
    var older: Int

    var frameLength: Int { Layout.frameOverhead + bodyLength }
}

/// Every entry of a vault by the keyed hash of its name, and what damage took.
struct EntryTable: Sendable {
    private(set) var slots: [Bytes16: EntrySlot] = [:]
    /// Losses whose name nothing tells.
    private(set) var lost = 0
    /// Damaged frames that may have been another entry's than they seem.
    private var unproven = 0
    /// An entry whose last frame is older than this may have been changed by a frame that is lost.
    private var lastLoss = 0

    enum Answer {
        /// Proven absent.
        case absent
        /// Nothing is known of it, and something unknown was lost.
        case unprovable
        case entry(EntrySlot)
    }

    func lookUp(_ hash: Bytes16) -> Answer {
        let isCertain = lost == 0 && unproven == 0
        guard let slot = slots[hash] else { return isCertain ? .absent : .unprovable }
        if slot.state == .deleted { return isCertain || slot.offset > lastLoss ? .absent : .unprovable }
        return .entry(slot)
    }

    mutating func apply(_ item: ScanItem) {
        switch item {
        case .frame(let frame):
            guard frame.head.kind != .index else { return }
            let older = slots[frame.head.nameHash]?.offset ?? 0
            slots[frame.head.nameHash] = EntrySlot(
                offset: frame.offset, bodyLength: frame.head.bodyLength,
                state: frame.head.kind == .value ? .live : .deleted, older: older)
        case .damage(let damage):
            for frame in damage.frames {
                guard let hash = frame.nameHash else { continue }
                slots[hash] = EntrySlot(
                    offset: frame.offset, bodyLength: frame.length - Layout.frameOverhead, state: .damaged,
                    older: slots[hash]?.offset ?? 0)
            }
            lost += damage.lost
            unproven += damage.unproven
            if damage.lost + damage.unproven > 0 { lastLoss = max(lastLoss, damage.range.upperBound) }
        }
    }

    /// Entries that are there, in no order.
    var present: [(hash: Bytes16, slot: EntrySlot)] {
        slots.compactMap { $0.value.state == .deleted ? nil : ($0.key, $0.value) }
    }
}

internal import CredentialStorage

/// Where an entry's last frame is.
struct EntrySlot: Sendable {
    enum State: UInt8, Sendable { case live, deleted, damaged }

    let offset: Int
    /// An older frame of the same entry that may still tell its name; 0 for none.
    let older: Int
    private let length: Int32
    let state: State

    init(offset: Int, bodyLength: Int, state: State, older: Int) {
        self.offset = offset
        self.older = older
        // No frame is longer; a gap may be, and only its beginning is looked at.
        length = Int32(clamping: bodyLength)
        self.state = state
    }

    var bodyLength: Int { Int(length) }

    /// The best of this frame and the ones before it for telling the name.
    fileprivate var teller: Int { state == .live || older == 0 ? offset : older }

    var frameLength: Int { Layout.frameOverhead + bodyLength }
}

/// Every entry of a vault by the keyed hash of its name, and what damage took.
struct EntryTable: Sendable {
    private(set) var slots = SlotMap()
    /// Losses whose name nothing tells.
    private(set) var lost = 0
    /// What the frames of all live entries take.
    private(set) var liveBytes = 0
    /// How many entries are there, damaged ones included.
    private(set) var count = 0
    /// Where the last loss ends: a frame that is lost may have changed an entry whose last frame stands before it.
    private var lastLoss = 0

    enum Answer {
        /// Proven absent.
        case absent
        /// Nothing is known of it, and something unknown was lost.
        case unprovable
        case entry(EntrySlot)
    }

    func lookUp(_ hash: Bytes16) -> Answer {
        guard let slot = slots[hash] else { return lost == 0 ? .absent : .unprovable }
        if slot.state == .deleted { return lost == 0 || slot.offset >= lastLoss ? .absent : .unprovable }
        return .entry(slot)
    }

    /// Asks for what more entries take, before something is written that must be entered here.
    mutating func makeRoom(for more: Int) throws(StorageFault) {
        let wanted = slots.count + more
        guard wanted > slots.capacity else { return }
        try MemoryRoom.check(SlotMap.size(for: wanted))
        slots.reserve(wanted)
    }

    mutating func apply(_ item: ScanItem) {
        switch item {
        case .frame(let frame):
            guard frame.head.kind != .index else { return }
            let older = slots[frame.head.nameHash]?.teller ?? 0
            replace(
                frame.head.nameHash,
                EntrySlot(
                    offset: frame.offset, bodyLength: frame.head.bodyLength,
                    state: frame.head.kind == .value ? .live : .deleted, older: older))
        case .damage(let damage):
            for frame in damage.frames {
                guard let hash = frame.nameHash else { continue }
                replace(
                    hash,
                    EntrySlot(
                        offset: frame.offset, bodyLength: max(0, frame.length - Layout.frameOverhead), state: .damaged,
                        older: slots[hash]?.teller ?? 0))
            }
            lost += damage.lost
            if damage.lost > 0 { lastLoss = max(lastLoss, damage.range.upperBound) }
        }
    }

    private mutating func replace(_ hash: Bytes16, _ slot: EntrySlot) {
        let old = slots.update(slot, for: hash)
        if let old, old.state == .live { liveBytes -= old.frameLength }
        if slot.state == .live { liveBytes += slot.frameLength }
        if let old, old.state != .deleted { count -= 1 }
        if slot.state != .deleted { count += 1 }
    }

    /// Whether damage took something, named or not.
    var isDamaged: Bool { lost > 0 || slots.contains { $0.state == .damaged } }

    /// Entries that are there, in no order.
    var present: [(hash: Bytes16, slot: EntrySlot)] {
        slots.filter { $0.state != .deleted }
    }
}

/// Slots by the keyed hashes of their names.
///
/// A hash is as good as random already, so its bits choose the place and nothing is hashed again. Nothing is ever taken
/// out: a removed entry stays, as a slot that says so.
struct SlotMap: Sendable {
    private struct Element {
        var hash: Bytes16
        /// At offset 0 there is a header and no frame: such a place is free.
        var slot: EntrySlot
    }

    private var elements: [Element] = []
    private(set) var count = 0

    /// Whoever chooses hashes does not know where in this process they fall.
    private let seed = UInt64.random(in: .min ... .max)

    /// How many hashes there may be before it grows.
    var capacity: Int { elements.count / 4 * 3 }

    /// What growing to so many hashes takes.
    static func size(for count: Int) -> Int { places(for: count) * MemoryLayout<Element>.stride }

    private static func places(for count: Int) -> Int {
        var places = 16
        while places / 4 * 3 < count { places *= 2 }
        return places
    }

    subscript(hash: Bytes16) -> EntrySlot? {
        guard !elements.isEmpty else { return nil }
        let element = elements[place(of: hash)]
        return element.slot.offset == 0 ? nil : element.slot
    }

    /// Where a hash is, or the free place where it belongs.
    private func place(of hash: Bytes16) -> Int {
        let mask = elements.count - 1
        let mixed = ((hash.first ^ seed) &* 0x9E37_79B9_7F4A_7C15) ^ hash.second
        var place = Int(truncatingIfNeeded: mixed ^ mixed >> 32) & mask
        while elements[place].slot.offset != 0, elements[place].hash != hash { place = (place + 1) & mask }
        return place
    }

    /// Makes room for so many hashes in all.
    mutating func reserve(_ wanted: Int) {
        guard wanted > capacity else { return }
        let free = Element(hash: .zero, slot: EntrySlot(offset: 0, bodyLength: 0, state: .deleted, older: 0))
        let former = elements
        elements = [Element](repeating: free, count: Self.places(for: wanted))
        for element in former where element.slot.offset != 0 { elements[place(of: element.hash)] = element }
    }

    /// Enters a slot.
    ///
    /// - Returns: The one that it replaces.
    mutating func update(_ slot: EntrySlot, for hash: Bytes16) -> EntrySlot? {
        reserve(count + 1)
        let place = place(of: hash)
        let former = elements[place].slot
        elements[place] = Element(hash: hash, slot: slot)
        guard former.offset == 0 else { return former }
        count += 1
        return nil
    }

    func contains(where test: (EntrySlot) -> Bool) -> Bool {
        elements.contains { $0.slot.offset != 0 && test($0.slot) }
    }

    /// The hashes and slots that pass, in no order.
    func filter(_ test: (EntrySlot) -> Bool) -> [(hash: Bytes16, slot: EntrySlot)] {
        elements.compactMap { $0.slot.offset != 0 && test($0.slot) ? ($0.hash, $0.slot) : nil }
    }
}

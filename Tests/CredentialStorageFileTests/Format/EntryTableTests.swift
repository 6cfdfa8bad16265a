import CredentialStorage
import Testing

@testable import CredentialStorageFile

@Suite("The table of entries")
struct EntryTableTests {
    @Test("proves an entry absent that was removed behind the last loss, and no other")
    func absence() throws {
        var log = TestLog()
        for content: TestLog.Content in [.value("a"), .delete("a"), .value("d"), .delete("d")] {
            log.commit([content])
        }
        let (lost, removal) = (log.commits[2][0], log.commits[3][0])
        #expect(lost.end == removal.offset)
        var file = log.file()
        for place in lost.offset..<lost.end { file[place] = 0x5A }
        var table = EntryTable()
        for item in try TestLog.scan(file, published: log.end).items { table.apply(item) }
        #expect(table.lost == 1)
        let answers = ["d", "a", "z"].map { name in
            if case .absent = table.lookUp(TestLog.hash(name)) { true } else { false }
        }
        #expect(answers == [true, false, false])
    }

    @Test("finds every entry among many, also where hashes are alike, and the last of each")
    func many() {
        var map = SlotMap()
        var model: [Bytes16: Int] = [:]
        for round in 1...3 {
            for number in 0..<5000 {
                // Some differ in one half only, and some in low bits only.
                let half = UInt64(number % 70)
                let hash =
                    number % 3 == 0
                    ? Bytes16(first: half, second: UInt64(number)) : Bytes16(first: UInt64(number) << 40, second: half)
                let slot = EntrySlot(offset: round * 10_000 + number, bodyLength: number, state: .live, older: round)
                #expect(map.update(slot, for: hash)?.offset == model[hash])
                model[hash] = slot.offset
            }
        }
        #expect(map.count == model.count && map.count <= map.capacity)
        for (hash, offset) in model { #expect(map[hash]?.offset == offset) }
        #expect(map[Bytes16(first: 1 << 63, second: 99)] == nil && SlotMap()[.zero] == nil)
        let all = map.filter { $0.offset % 2 == 0 }
        #expect(all.count == model.values.count { $0 % 2 == 0 })
        #expect(all.allSatisfy { model[$0.hash] == $0.slot.offset && $0.slot.bodyLength == $0.slot.offset % 10_000 })
        #expect(map.contains { $0.offset == 30_001 } && !map.contains { $0.state == .deleted })
    }
}

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
}

internal import CredentialStorage
internal import FoundationEssentials
internal import Testing

@Suite("Bulk reads")
struct BulkReadTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    private func entry(_ name: String, _ byte: UInt8 = 0) -> Entry { Entry(key: name, value: Data([byte])) }

    private func hasNames(_ bulk: BulkRead, _ names: [String]) -> Bool {
        bulk.entries.map(\.key).elementsEqual(names) { $0.utf8.elementsEqual($1.utf8) }
    }

    @Test("entries are put in byte order")
    func order() {
        let names = ["A", "Z", "a", decomposed, composed, "\u{FF5E}", "\u{1F511}"]
        let bulk = BulkRead(entries: names.reversed().map { entry($0) })
        #expect(hasNames(bulk, names))
    }

    @Test("omissions with a name come first, in byte order, then those without")
    func omissions() {
        let omitted = [nil, "b", nil, "a", "\u{E9}", "Z"].map { OmittedEntry(key: $0, reason: .damaged) }
        let bulk = BulkRead(entries: [], omitted: omitted, lost: 2)
        #expect(bulk.omitted.map(\.key) == ["Z", "a", "b", "\u{E9}", nil, nil])
        #expect(bulk.lost == 2)
    }

    @Test("a read is complete only when nothing was omitted and nothing lost")
    func completeness() {
        #expect(BulkRead(entries: []).isComplete)
        #expect(BulkRead(entries: [entry("a")]).isComplete)
        #expect(!BulkRead(entries: [], omitted: [OmittedEntry(key: "a", reason: .damaged)]).isComplete)
        #expect(!BulkRead(entries: [], omitted: [OmittedEntry(key: nil, reason: .damaged)]).isComplete)
        #expect(!BulkRead(entries: [], lost: 1).isComplete)
    }

    @Test("the subscript finds every entry and nothing else", arguments: [0, 1, 2, 3, 10, 257])
    func subscripting(count: Int) {
        let bulk = BulkRead(entries: (0..<count).map { Entry(key: "name \($0)", value: Data("\($0)".utf8)) })
        for index in 0..<count { #expect(bulk[key: "name \(index)"] == Data("\(index)".utf8)) }
        for name in ["", "name", "name ", "name \(count)", "name 0x", "\u{10FFFF}"] { #expect(bulk[key: name] == nil) }
    }

    @Test("the subscript tells two forms of one letter apart")
    func forms() {
        let both = BulkRead(entries: [entry(composed, 1), entry(decomposed, 2)])
        #expect(both[key: composed] == Data([1]))
        #expect(both[key: decomposed] == Data([2]))
        let one = BulkRead(entries: [entry(composed, 1)])
        #expect(one[key: decomposed] == nil)
    }

    @Test("losses without number are one record of the log")
    func losses() {
        for (lost, count) in [(0, 0), (1, 1), (Int.max, 1)] {
            let records = Locked<[StorageLog.Record]>([])
            let log = StorageLog { record in records.withLock { $0.append(record) } }
            BulkRead(entries: [], omitted: [], lost: lost).report(to: log)
            #expect(records.withLock { $0.map(\.level) } == Array(repeating: .warning, count: count))
        }
    }

    @Test("entries and omissions are equal only when their names have the same bytes")
    func equality() {
        #expect(entry(composed) == entry(composed))
        #expect(entry(composed) != entry(decomposed))
        #expect(entry("a", 1) != entry("a", 2))
        #expect(OmittedEntry(key: composed, reason: .damaged) == OmittedEntry(key: composed, reason: .damaged))
        #expect(OmittedEntry(key: composed, reason: .damaged) != OmittedEntry(key: decomposed, reason: .damaged))
        #expect(OmittedEntry(key: "a", reason: .damaged) != OmittedEntry(key: "a", reason: .keyLost))
        #expect(OmittedEntry(key: nil, reason: .damaged) != OmittedEntry(key: "a", reason: .damaged))
        #expect(OmittedEntry(key: nil, reason: .damaged) == OmittedEntry(key: nil, reason: .damaged))
    }
}

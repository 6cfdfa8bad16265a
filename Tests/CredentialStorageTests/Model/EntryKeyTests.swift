internal import CredentialStorage
internal import Testing

@Suite("Entry names")
struct EntryKeyTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    @Test(
        "a name of 1 to 1024 bytes without NUL is taken as it is",
        arguments: [
            "a", " ", "/", "..", "\n", "\u{1}", "\u{7F}", "\u{1F511}", "\u{FEFF}", "caf\u{E9}", "cafe\u{301}",
            String(repeating: "x", count: 1024), String(repeating: "\u{E9}", count: 512),
        ])
    func valid(name: String) throws {
        let key = try EntryKey(name)
        #expect(key.name.utf8.elementsEqual(name.utf8))
        let fromBytes = try #require(EntryKey(utf8: Array(name.utf8)))
        #expect(fromBytes == key)
        #expect(fromBytes.name.utf8.elementsEqual(name.utf8))
    }

    @Test(
        "an empty name, one with NUL and one of 1025 bytes are refused",
        arguments: [
            "", "\u{0}", "a\u{0}", "\u{0}a", String(repeating: "x", count: 1025),
            String(repeating: "\u{E9}", count: 512) + "x",
        ])
    func invalid(name: String) {
        #expect(throws: StorageError.invalidEntryKey) { try EntryKey(name) }
        #expect(throws: StorageFault.invalidEntryKey) { try EntryKey(checking: name) }
        #expect(EntryKey(utf8: Array(name.utf8)) == nil)
    }

    @Test(
        "bytes that are not UTF-8 are refused, never repaired",
        arguments: [
            [0xFF], [0xC3], [0x61, 0x80], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(EntryKey(utf8: bytes) == nil)
    }

    @Test("names are equal and hash alike only when their bytes are the same")
    func equality() throws {
        #expect(composed == decomposed)
        let keys = try [composed, decomposed].map { try EntryKey($0) }
        #expect(keys[0] != keys[1])
        #expect(Set(keys).count == 2)
        #expect(try Set(keys + [EntryKey(composed), EntryKey(decomposed)]).count == 2)
        #expect(keys[0].hashValue == (try EntryKey(composed)).hashValue)
    }

    @Test("names are ordered by their bytes")
    func order() throws {
        let names = [
            "A", "Z", "Za", "a", "a/", "aa", decomposed, "cafz", composed, "\u{7F}", "\u{E9}", "\u{FF5E}", "\u{1F511}",
        ]
        let keys = try names.map { try EntryKey($0) }
        for (low, left) in keys.enumerated() {
            for (high, right) in keys.enumerated() {
                #expect((left < right) == (low < high))
                #expect((left == right) == (low == high))
            }
        }
        #expect(keys.shuffled().sorted().map(\.name).elementsEqual(names) { $0.utf8.elementsEqual($1.utf8) })
        let byString = names.sorted()
        #expect(
            !byString.elementsEqual(names) { $0.utf8.elementsEqual($1.utf8) },
            "the names must show a difference to the order of String")
    }

    @Test("the hash depends on the whole name")
    func hash() throws {
        let keys = try (0..<1000).map { try EntryKey(String(repeating: "x", count: 500) + "\($0)") }
        #expect(Set(keys.map(\.hashValue)).count > 990)
    }
}

internal import CredentialStorage
internal import FoundationEssentials
internal import Testing

@Suite("Entries that share memory")
struct EntryTests {
    private static let alike = (0..<300).map { "service/account-\($0 * 7919 % 1000)" }
    private static let lists = [
        [], ["only"], ["b", "a"], ["name", "name2", "nam", "name/", "n"], ["aaaaaaaaX", "aaaaaaaa", "aaaaaaaaXY"],
        ["caf\u{E9}", "cafe\u{301}", "\u{1F511}", "\u{FF5E}", "Z", "\u{1}"], alike, alike.map { $0 + "/a longer end" },
    ]

    /// The entries as a store makes them that reads into one piece of memory.
    private func bulk(_ names: [String], _ value: (String) -> Data) throws -> BulkRead {
        var bytes: [UInt8] = []
        var places: [EntryPlace] = []
        for name in names {
            // Something else may stand between them.
            bytes += [1, 2, 3]
            let value = value(name)
            places.append(EntryPlace(offset: bytes.count, nameLength: name.utf8.count, valueLength: value.count))
            bytes += Array(name.utf8) + value
        }
        let memory = SharedSecret(try SecureBuffer(copying: bytes.span, in: SecureArena()))
        return BulkRead(memory, places, omitted: [], lost: 0)
    }

    @Test("names and values come out as they went in, in byte order", arguments: lists)
    func order(names: [String]) throws {
        let read = try bulk(names) { Data("value of \($0)".utf8) }
        let expected = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(read.entries.map { Array($0.key.utf8) } == expected.map { Array($0.utf8) })
        for entry in read.entries {
            let value = Data("value of \(entry.key)".utf8)
            #expect(entry.value == value && entry.withValue { $0.count } == value.count)
            #expect(entry.withValue { bytes in bytes.indices.allSatisfy { bytes[$0] == value[$0] } })
            #expect(read[key: entry.key] == value)
        }
        #expect(read[key: "none of them"] == nil)
    }

    @Test("what is omitted is in order too")
    func omissions() throws {
        let memory = SharedSecret(try SecureBuffer(count: 1, in: SecureArena()))
        let omitted = [nil, "b", nil, "a"].map { OmittedEntry(key: $0, reason: .damaged) }
        #expect(BulkRead(memory, [], omitted: omitted, lost: 0).omitted.map(\.key) == ["a", "b", nil, nil])
    }

    @Test("an entry is the same whether its memory is shared or its own")
    func equality() throws {
        let names = ["a", "b"]
        let shared = try bulk(names) { _ in Data([7]) }.entries
        let own = names.map { Entry(key: $0, value: Data([7])) }
        #expect(shared == own && shared[0] != own[1])
        #expect(shared[0] != Entry(key: "a", value: Data([8])))
        #expect(own.map { $0.withValue { $0[0] } } == [7, 7])
    }

    @Test("an entry outlives the result that it came from")
    func lifetime() throws {
        var read: BulkRead? = try bulk(["a", "b"]) { Data($0.utf8) }
        let last = try #require(read?.entries.last)
        read = nil
        #expect(last.key == "b" && last.value == Data("b".utf8))
    }
}

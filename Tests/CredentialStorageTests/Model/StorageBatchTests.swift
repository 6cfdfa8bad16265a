internal import CredentialStorage
internal import FoundationEssentials
internal import Testing

@Suite("Batches")
struct StorageBatchTests {
    private struct Unreadable: Error {}

    @Test("a batch reads what its base holds until it changes it")
    func reading() throws {
        var batch = StorageBatch { $0.name == "present" ? Data([1]) : nil }
        #expect(try batch.get("present") == Data([1]))
        #expect(try batch.get("absent") == nil)
        try batch.set(Data([2]), forKey: "present")
        try batch.set("text", forKey: "text")
        #expect(try batch.get("present") == Data([2]))
        #expect(try batch.get("text") == Data("text".utf8))
        try batch.delete("present")
        #expect(try batch.get("present") == nil)
    }

    @Test("an error of the base passes through, and a changed entry is not asked for")
    func errors() throws {
        var batch = StorageBatch { _ in throw Unreadable() }
        #expect(throws: Unreadable.self) { try batch.get("name") }
        try batch.set(Data([1]), forKey: "name")
        #expect(try batch.get("name") == Data([1]))
        try batch.delete("name")
        #expect(try batch.get("name") == nil)
    }

    @Test("each name stands once among the changes, where it first came up, with its last value")
    func changes() throws {
        var batch = StorageBatch { _ in nil }
        try batch.set(Data([1]), forKey: "b")
        try batch.set(Data([2]), forKey: "a")
        try batch.delete("c")
        try batch.set(Data([3]), forKey: "b")
        try batch.delete("a")
        try batch.set(Data(), forKey: "c")
        #expect(batch.changes.map(\.key.name) == ["b", "a", "c"])
        #expect(batch.changes.map(\.value) == [Data([3]), nil, Data()])
    }

    @Test("two forms of one letter are two changes")
    func forms() throws {
        var batch = StorageBatch { _ in nil }
        try batch.set(Data([1]), forKey: "caf\u{E9}")
        try batch.set(Data([2]), forKey: "cafe\u{301}")
        #expect(batch.changes.count == 2)
        #expect(try batch.get("caf\u{E9}") == Data([1]))
    }

    @Test("an invalid name is refused and changes nothing")
    func invalidNames() throws {
        var batch = StorageBatch { _ in nil }
        let write = StorageError.writeError(cause: .invalidEntryKey)
        #expect(throws: StorageError.readError(cause: .invalidEntryKey)) { try batch.get("") }
        #expect(throws: write) { try batch.set(Data(), forKey: "") }
        #expect(throws: write) { try batch.set("text", forKey: "a\u{0}") }
        #expect(throws: write) { try batch.delete(String(repeating: "x", count: 1025)) }
        #expect(batch.changes.isEmpty)
    }
}

import CredentialStorage
import CredentialStorageTesting
import Foundation
import Testing

@testable import CredentialStorageSealing

@Suite("A sealed record that is not as it was", .timeLimit(.minutes(5)))
struct SealedDamageTests {
    private let base = StorageBuilder.InMemory().build()

    private func store(_ names: SealedNames) throws -> SealedStorage<InMemoryStorage> {
        base.sealed(with: SealingKeys(try testKey(1))).names(names)
    }

    @Test(
        "a change of any byte keeps the value from being read, and its neighbours still read",
        arguments: SealedNames.allCases)
    func flips(_ names: SealedNames) throws {
        let store = try store(names)
        try store.set("value", forKey: "name")
        let (place, record) = try base.onlyRecord()
        try store.set("sound", forKey: "neighbour")
        let nameBox = names == .sealed ? SealedRecord.fixedLength..<SealedRecord.nameBoxPlace + 32 : 0..<0
        for index in record.indices {
            for bit: UInt8 in [1, 0x80] {
                var changed = record
                changed[index] ^= bit
                try base.set(changed, forKey: place)
                let bulk = try store.readAll()
                #expect(bulk.entries == [Entry(key: "neighbour", value: Data("sound".utf8))])
                // The length of the name's box stands at 6 and 7.
                let isNameGone = names == .sealed && (nameBox.contains(index) || (6...7).contains(index))
                #expect(
                    bulk.omitted == [OmittedEntry(key: isNameGone ? nil : "name", reason: .damaged)], "byte \(index)")
                if isNameGone {
                    #expect(throws: unreadable(.damaged)) { try store.keys() }
                } else {
                    #expect(try store.keys() == ["name", "neighbour"])
                }
                // The box of the name does not bind the value; whoever knows the name gets it.
                if nameBox.contains(index) {
                    #expect(try store.string(forKey: "name") == "value")
                } else {
                    #expect(throws: unreadable(.damaged), "byte \(index)") { try store.get("name") }
                    #expect(throws: unreadable(.damaged)) { try store.withSecret(forKey: "name") { _ in } }
                }
            }
        }
        try base.set(record, forKey: place)
        #expect(try store.string(forKey: "name") == "value")
    }

    @Test("a record that was cut or grew does not open, at any length", arguments: SealedNames.allCases)
    func lengths(_ names: SealedNames) throws {
        let store = try store(names)
        try store.set("value", forKey: "name")
        let (place, record) = try base.onlyRecord()
        for changed in (0..<record.count).map({ record.prefix($0) }) + [record + [0], record + record] {
            try base.set(Data(changed), forKey: place)
            #expect(throws: unreadable(.damaged)) { try store.get("name") }
            let bulk = try store.readAll()
            #expect(bulk.entries.isEmpty && bulk.omitted.map(\.reason) == [.damaged])
        }
    }

    @Test("a newer version is told apart from damage, and its name is still known", arguments: SealedNames.allCases)
    func newerVersion(_ names: SealedNames) throws {
        let store = try store(names)
        try store.set("value", forKey: "name")
        let place = try base.onlyRecord().place
        try base.forgeHead(place) { $0[4] = 2 }
        #expect(throws: unreadable(.formatTooNew)) { try store.get("name") }
        #expect(try store.readAll().omitted == [OmittedEntry(key: "name", reason: .formatTooNew)])
        try base.forgeHead(place) { $0[4] = 0 }
        #expect(throws: unreadable(.damaged)) { try store.get("name") }
    }

    @Test("two records that were swapped do not open", arguments: SealedNames.allCases)
    func swaps(_ names: SealedNames) throws {
        let store = try store(names)
        try store.set("one", forKey: "a")
        try store.set("two", forKey: "b")
        let places = try base.readAll().entries
        try base.set(places[1].value, forKey: places[0].key)
        try base.set(places[0].value, forKey: places[1].key)
        for name in ["a", "b"] { #expect(throws: unreadable(.damaged)) { try store.get(name) } }
        let bulk = try store.readAll()
        #expect(bulk.entries.isEmpty && bulk.omitted.map(\.reason) == [.damaged, .damaged])
        if names == .clear { #expect(bulk.omitted.map(\.key) == ["a", "b"]) }
    }

    @Test("what was never sealed, or was sealed in the other way, is no value", arguments: SealedNames.allCases)
    func foreign(_ names: SealedNames) throws {
        let store = try store(names)
        try store.set("sound", forKey: "sound")
        try base.set("plain", forKey: "foreign")
        try base.set(Data(), forKey: "empty")
        let other = names == .sealed ? SealedNames.clear : .sealed
        try self.store(other).set("other", forKey: "other")
        let bulk = try store.readAll()
        #expect(bulk.entries == [Entry(key: "sound", value: Data("sound".utf8))])
        #expect(bulk.omitted.count == 3 && bulk.omitted.allSatisfy { $0.reason == .damaged })
        if names == .clear {
            #expect(throws: unreadable(.damaged)) { try store.get("foreign") }
            #expect(throws: unreadable(.damaged)) { try store.get("empty") }
            #expect(throws: StorageError.writeError(cause: .undecryptable(.damaged))) {
                try store.compareAndSet("foreign", expected: Data("plain".utf8), new: Data())
            }
            #expect(try store.keys() == base.keys())
        } else {
            #expect(bulk.omitted.allSatisfy { $0.key == nil })
            #expect(throws: unreadable(.damaged)) { try store.keys() }
            // It stands where no entry of ours can stand, so it hides none.
            #expect(try store.get("foreign") == nil)
        }
        try store.deleteAll()
        #expect(try base.keys().isEmpty)
    }

    @Test("what the base cannot read is omitted and counted here too")
    func baseOmissions() throws {
        for (names, key) in [(SealedNames.clear, String?.some("gone")), (.sealed, nil)] {
            let bulk = BulkRead(entries: [], omitted: [OmittedEntry(key: "gone", reason: .locked)], lost: 2)
            let scripted = ScriptedStorage([.readAll(returns: bulk), .readAll(returns: bulk)])
            let store = scripted.sealed(with: SealingKeys(try testKey(1))).names(names)
            let read = try store.readAll()
            #expect(read.omitted == [OmittedEntry(key: key, reason: .locked)] && read.lost == 2)
            if names == .sealed { #expect(throws: unreadable(.damaged)) { try store.keys() } }
        }
    }
}

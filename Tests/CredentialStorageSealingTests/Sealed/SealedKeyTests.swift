import CredentialStorage
import CredentialStorageTesting
import Foundation
import Testing

@testable import CredentialStorageSealing

@Suite("Entries under other keys", .timeLimit(.minutes(2)))
struct SealedKeyTests {
    private let base = StorageBuilder.InMemory().build()

    @Test("a key has 32 bytes, and its id tells it from others and nothing else of it")
    func keys() throws {
        for count in [0, 16, 31, 33, 64] {
            let bytes = [UInt8](repeating: 7, count: count)
            let error = #expect(throws: StorageError.self) { try SealingKey(copying: bytes.span) }
            #expect(error?.category == .keySourceUnavailable)
        }
        let (one, two) = (try testKey(1), try testKey(2))
        #expect(one.id != two.id)
        #expect(try one.id == testKey(1).id)
        #expect(SealingKey.ID(one.id.text) == one.id)
        for text in [
            "", "00", String(repeating: "0", count: 34), one.id.text.uppercased(), "x" + one.id.text.dropFirst(),
        ] {
            #expect(SealingKey.ID(text) == nil)
        }
        let drawn = try SealingKey.makeBytes()
        #expect(drawn.count == SealingKey.length)
        #expect(try SealingKey(drawn).id != SealingKey(SealingKey.makeBytes()).id)
    }

    @Test(
        "with another key nothing opens, each entry is reported, and nothing is absent", arguments: SealedNames.allCases
    )
    func otherKey(_ names: SealedNames) throws {
        let old = base.sealed(with: SealingKeys(try testKey(1))).names(names)
        for name in ["a", "b", "c"] { try old.set("value", forKey: name) }
        for (lost, reason) in [([], UndecryptableReason.wrongKey), ([try testKey(1).id], .keyLost)] {
            let store = base.sealed(with: SealingKeys(try testKey(2), lost: lost)).names(names)
            let bulk = try store.readAll()
            let expected = names == .clear ? ["a", "b", "c"] : [String?](repeating: nil, count: 3)
            #expect(bulk.entries.isEmpty && bulk.omitted == expected.map { OmittedEntry(key: $0, reason: reason) })
            #expect(try store.getAll().isEmpty)
            #expect(throws: unreadable(reason)) { try store.get("a") }
            #expect(throws: unreadable(reason)) { try store.withSecret(forKey: "a") { _ in } }
            #expect(throws: StorageError.writeError(cause: .undecryptable(reason))) {
                try store.compareAndSet("a", expected: names == .clear ? Data("value".utf8) : nil, new: Data())
            }
            #expect(throws: unreadable(reason)) { try store.update { _ = try $0.get("a") } }
            if names == .clear {
                #expect(try store.keys() == ["a", "b", "c"])
                #expect(try store.get("absent") == nil)
            } else {
                #expect(throws: unreadable(reason)) { try store.keys() }
                #expect(throws: unreadable(reason)) { try store.get("absent") }
                #expect(throws: StorageError.deleteError(cause: .undecryptable(reason))) { try store.delete("absent") }
            }
        }
        #expect(try old.getAll().count == 3)
        // Writing works, and what was written reads.
        let store = base.sealed(with: SealingKeys(try testKey(2))).names(names)
        try store.set("new", forKey: "a")
        #expect(try store.string(forKey: "a") == "new")
        #expect(try store.delete("a"))
    }

    @Test("a mixed base gives what opens and reports the rest", arguments: SealedNames.allCases)
    func mixed(_ names: SealedNames) throws {
        for key in UInt8(1)...3 {
            try base.sealed(with: SealingKeys(try testKey(key))).names(names).set("\(key)", forKey: "name \(key)")
        }
        let keys = SealingKeys(try testKey(1), others: [try testKey(2)], lost: [try testKey(3).id])
        let bulk = try base.sealed(with: keys).names(names).readAll()
        #expect(bulk.entries.map(\.key) == ["name 1", "name 2"])
        #expect(bulk.omitted == [OmittedEntry(key: names == .clear ? "name 3" : nil, reason: .keyLost)])
    }

    @Test("a closed store answers closed, its copies too")
    func closes() throws {
        let store = base.sealed(with: SealingKeys(try testKey(1)))
        let copy = store.names(.clear)
        try store.set("value", forKey: "name")
        store.close()
        let closed = StorageError.readError(cause: .unavailable(operation: .read, category: .closed, code: .none))
        #expect(throws: closed) { try store.get("name") }
        #expect(throws: closed) { try copy.readAll() }
        #expect(throws: closed) { try base.get("name") }
        #expect(store.probe().reason?.category == .closed)
    }
}

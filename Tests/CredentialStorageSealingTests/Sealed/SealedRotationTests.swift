import CredentialStorage
import CredentialStorageTesting
import Foundation
import Testing

@testable import CredentialStorageSealing

@Suite("Rotation of a sealing key", .timeLimit(.minutes(2)))
struct SealedRotationTests {
    enum Kind: CaseIterable { case transactional, atomic }

    private let memory = StorageBuilder.InMemory().build()

    private func base(_ kind: Kind) -> any AtomicStorage {
        kind == .transactional ? memory : AtomicOnlyStorage(base: memory)
    }

    private func store(_ kind: Kind, _ names: SealedNames, _ key: UInt8, _ others: UInt8...) throws -> any AtomicStorage
    {
        let keys = SealingKeys(try testKey(key), others: try others.map(testKey))
        return try #require(StorageBuilder.sealed(over: base(kind), with: keys, names: names) as? any AtomicStorage)
    }

    @Test(
        "older entries read, change, compare and go, before anything is sealed anew", arguments: Kind.allCases,
        SealedNames.allCases)
    func readsOlder(_ kind: Kind, _ names: SealedNames) throws {
        let old = try store(kind, names, 1)
        for name in ["a", "b", "c", "d", "e"] { try old.set("old \(name)", forKey: name) }
        let new = try store(kind, names, 2, 1)
        #expect(try new.keys() == ["a", "b", "c", "d", "e"])
        #expect(try new.string(forKey: "a") == "old a")
        try new.set("new a", forKey: "a")
        #expect(try new.delete("b"))
        #expect(try !new.delete("b"))
        #expect(try !new.compareAndSet("c", expected: nil, new: Data("wrong".utf8)))
        #expect(try !new.compareAndSet("c", expected: Data("old b".utf8), new: Data("wrong".utf8)))
        #expect(try new.compareAndSet("c", expected: Data("old c".utf8), new: Data("new c".utf8)))
        #expect(try new.compareAndSet("d", expected: Data("old d".utf8), new: nil))
        #expect(try new.compareAndSet("f", expected: nil, new: Data("new f".utf8)))
        let values = ["a": "new a", "c": "new c", "e": "old e", "f": "new f"]
        #expect(try new.getAll() == values.mapValues { Data($0.utf8) })
        #expect(try memory.keys().count == 4, "nothing stands at two places")
    }

    @Test("after reseal the old key is not needed", arguments: Kind.allCases, SealedNames.allCases)
    func reseals(_ kind: Kind, _ names: SealedNames) throws {
        let old = try store(kind, names, 1)
        for index in 0..<20 { try old.set("value \(index)", forKey: "name \(index)") }
        let values = try old.getAll()
        try store(kind, names, 3).set("stays", forKey: "of a third key")
        func reseal(_ storage: any AtomicStorage) throws -> Int {
            let keys = SealingKeys(try testKey(2), others: [try testKey(1)])
            func open(_ base: some AtomicStorage) throws -> Int { try base.sealed(with: keys).names(names).reseal() }
            return try open(storage)
        }
        #expect(try reseal(base(kind)) == 20)
        #expect(try reseal(base(kind)) == 0)
        let bulk = try store(kind, names, 2).readAll()
        #expect(bulk.entries.count == 20 && bulk.entries.allSatisfy { values[$0.key] == $0.value })
        #expect(bulk.omitted.map(\.reason) == [.wrongKey])
        #expect(try store(kind, names, 1).readAll().entries.isEmpty)
        #expect(try memory.keys().count == 21)
    }

    @Test(
        "a value that a crash left at the place of the old key does not hide the new one, and goes with the next change"
    )
    func interrupted() throws {
        for change in 0..<4 {
            try memory.deleteAll()
            let old = try store(.atomic, .sealed, 1)
            try old.set("old", forKey: "name")
            try store(.atomic, .sealed, 2).set("new", forKey: "name")
            let both = try store(.atomic, .sealed, 2, 1)
            #expect(try both.getAll() == ["name": Data("new".utf8)])
            #expect(try both.keys() == ["name"])
            switch change {
            case 0: try both.set("newest", forKey: "name")
            case 1: #expect(try both.delete("name"))
            case 2: #expect(try both.compareAndSet("name", expected: Data("new".utf8), new: Data("newest".utf8)))
            default:
                let sealed = AtomicOnlyStorage(base: memory)
                    .sealed(with: SealingKeys(try testKey(2), others: [try testKey(1)]))
                #expect(try sealed.reseal() == 0)
            }
            #expect(try memory.keys().count == (change == 1 ? 0 : 1))
            #expect(try both.string(forKey: "name") == [0: "newest", 2: "newest", 3: "new"][change])
        }
    }

    @Test("what a program with the new key alone writes while its entry moves is kept")
    func writtenMeanwhile() throws {
        try store(.atomic, .sealed, 1).set("old", forKey: "name")
        let new = memory.sealed(with: SealingKeys(try testKey(2)))
        let isFirst = Locked(true)
        let base = AtomicOnlyStorage(base: memory) { call in
            guard [.set, .compareAndSet].contains(call.kind), isFirst.withLock({ $0 }) else { return }
            isFirst.withLock { $0 = false }
            try new.set("new", forKey: "name")
        }
        let count = try base.sealed(with: SealingKeys(try testKey(2), others: [try testKey(1)])).reseal()
        #expect(count == 0 && !isFirst.withLock { $0 })
        #expect(try new.getAll() == ["name": Data("new".utf8)])
        #expect(try memory.keys().count == 1)
    }
}

import CredentialStorage
import CredentialStorageTesting
import Foundation
import Testing

@testable import CredentialStorageSealing

@Suite("A sealed store over another", .timeLimit(.minutes(2)))
struct SealedStorageTests {
    private let base = StorageBuilder.InMemory().build()

    private func keys() throws -> SealingKeys { SealingKeys(try testKey(1)) }

    @Test("it has exactly the abilities of its base, also when the type of the base is not known")
    func keepsConformances() throws {
        let strong = StorageBuilder.sealed(over: base, with: try keys())
        #expect(strong is any TransactionalStorage)
        #expect(strong is any InspectableStorage)
        let middle = StorageBuilder.sealed(over: AtomicOnlyStorage(base: base), with: try keys(), names: .clear)
        #expect(middle is any AtomicStorage)
        #expect(!(middle is any TransactionalStorage))
        #expect(!(middle is any InspectableStorage))
        let weak = StorageBuilder.sealed(over: PlainStorage(base: base), with: try keys(), valueLimit: 4)
        #expect(!(weak is any AtomicStorage))
        #expect(throws: StorageError.writeError(cause: .valueTooLarge(limit: 4))) { try weak.set("12345", forKey: "a") }
        try weak.set("1234", forKey: "a")
        #expect(try weak.string(forKey: "a") == "1234")
        #expect(try base.sealed(with: keys()).backend == .memory)
        #expect(try base.sealed(with: keys()).protection.durability == .volatile)
    }

    @Test("the base's names are the names, or hashes of one length", arguments: SealedNames.allCases)
    func names(_ names: SealedNames) throws {
        let store = base.sealed(with: try keys()).names(names)
        let given = ["a", String(repeating: "n", count: EntryKey.maximumLength), "caf\u{E9}", "cafe\u{301}"]
        for name in given { try store.set("value", forKey: name) }
        #expect(try store.keys().count == 4)
        let inBase = try base.keys()
        if names == .clear {
            #expect(try inBase == store.keys())
        } else {
            #expect(Set(inBase).count == 4 && inBase.allSatisfy { $0.utf8.count == 72 && $0.hasPrefix("sealed-") })
        }
    }

    @Test(
        "the base's limit counts sealed bytes, and the error tells the value that fits", arguments: SealedNames.allCases
    )
    func limits(_ names: SealedNames) throws {
        let store = base.sealed(with: try keys()).names(names)
        let longest = String(repeating: "n", count: EntryKey.maximumLength)
        let whole = Data(count: 1 << 20)
        let fits = SealedRecord.largestValue(inRecordOf: 1 << 20, names)
        #expect(fits > 1_000_000)
        let tooLarge = StorageError.writeError(cause: .valueTooLarge(limit: fits))
        #expect(throws: tooLarge) { try store.set(whole, forKey: "name") }
        #expect(throws: tooLarge) { try store.compareAndSet("name", expected: nil, new: whole) }
        #expect(throws: tooLarge) { try store.update { try $0.set(whole, forKey: "name") } }
        try store.set(whole.prefix(fits), forKey: longest)
        #expect(try store.get(longest)?.count == fits)
        #expect(throws: tooLarge) { try store.set(whole.prefix(fits + 1), forKey: longest) }

        let recording = RecordingStorage(base)
        let limited = recording.sealed(with: try keys()).names(names).valueLimit(10)
        let own = StorageError.writeError(cause: .valueTooLarge(limit: 10))
        #expect(throws: own) { try limited.set(Data(count: 11), forKey: "name") }
        #expect(throws: own) { try limited.compareAndSet("name", expected: nil, new: Data(count: 11)) }
        #expect(recording.calls.isEmpty)
        #expect(try store.keys() == [longest])
    }

    @Test("a record of any room tells the largest value that fits into it", arguments: SealedNames.allCases)
    func largestValues(_ names: SealedNames) {
        let around = SealedRecord.fixedLength + (names == .clear ? 0 : 40 + 1088)
        for room in stride(from: around, through: around + 70_000, by: 97) {
            let value = SealedRecord.largestValue(inRecordOf: room, names)
            guard room >= around + 32 else { continue }
            #expect(around + Padding.length(for: 4 + value) <= room)
            #expect(around + Padding.length(for: 5 + value) > room)
        }
    }

    @Test("compare and set gives up when the record never stands still")
    func contention() throws {
        let other = base.sealed(with: try keys())
        try other.set("value", forKey: "name")
        let rounds = Locked(0)
        let restless = AtomicOnlyStorage(base: base) { call in
            guard call.kind == .compareAndSet else { return }
            rounds.withLock { $0 += 1 }
            // The same value in another record.
            try other.set("value", forKey: "name")
        }
        let store = restless.sealed(with: try keys())
        #expect(throws: StorageError.writeError(cause: .conflict)) {
            try store.compareAndSet("name", expected: Data("value".utf8), new: Data("new".utf8))
        }
        #expect(rounds.withLock { $0 } == 100)
        #expect(try other.string(forKey: "name") == "value")
        let once = Locked(true)
        let calmer = AtomicOnlyStorage(base: base) { call in
            guard call.kind == .compareAndSet,
                once.withLock({
                    let first = $0; $0 = false; return first
                })
            else { return }
            try other.set("value", forKey: "name")
        }
        #expect(
            try calmer.sealed(with: keys()).compareAndSet("name", expected: Data("value".utf8), new: Data("new".utf8)))
        #expect(try other.string(forKey: "name") == "new")
    }

    @Test("a lock is that of the base under the same name")
    func locks() throws {
        let store = base.sealed(with: try keys())
        let held = try store.acquireLock("lock", timeout: .zero)
        let error = #expect(throws: StorageError.self) { try base.acquireLock("lock", timeout: .zero) }
        #expect(error?.category == .lockTimedOut)
        held.release()
        try base.acquireLock("lock", timeout: .zero).release()
    }

    @Test("every sealing has a nonce of its own; repeated randomness repeats one only for the same name and value")
    func nonces() throws {
        func nonces(_ store: some Storage, _ name: String, _ value: String) throws -> [Data] {
            try base.deleteAll()
            try store.set(value, forKey: name)
            let record = try base.onlyRecord().record
            return [record[40..<64], record[80..<104]].map { Data($0) }
        }
        let store = base.sealed(with: try keys())
        let fresh = try (0..<50).flatMap { _ in try nonces(store, "name", "value") }
        #expect(Set(fresh).count == 100)
        let stuck = store.randomness(StuckRandomness())
        let first = try nonces(stuck, "name", "value")
        #expect(try nonces(stuck, "name", "value") == first)
        let otherValue = try nonces(stuck, "name", "valuf")
        #expect(otherValue[0] != first[0] && otherValue[1] == first[1])
        let otherName = try nonces(stuck, "namf", "value")
        #expect(otherName[0] != first[0] && otherName[1] != first[1])
        #expect(first[0] != first[1])
        // The other kind of record has other associated data.
        #expect(try nonces(stuck.names(.clear), "name", "value")[0] != first[0])
    }

    @Test("a failure of the base keeps its category and gets the operation that was asked for")
    func failures() throws {
        let locked = StorageError.unavailable(operation: .read, category: .locked, code: .none)
        func failing(_ kind: StorageCall.Kind) throws -> SealedStorage<ScriptedStorage> {
            ScriptedStorage([.failure(kind, throws: locked)]).sealed(with: try keys())
        }
        let read = StorageError.readError(cause: locked)
        #expect(throws: read) { try failing(.get).get("name") }
        #expect(throws: read) { try failing(.readAll).keys() }
        #expect(throws: read) { try failing(.readAll).readAll() }
        let write = StorageError.unavailable(operation: .write, category: .locked, code: .none)
        #expect(throws: StorageError.writeError(cause: write)) {
            try failing(.get).compareAndSet("name", expected: nil, new: Data())
        }
        // Absence is not proven while the names of the base cannot be listed.
        let silent = ScriptedStorage([.get(returns: nil), .failure(.keys, throws: locked)]).sealed(with: try keys())
        #expect(throws: read) { try silent.get("name") }
    }
}

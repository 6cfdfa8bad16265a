import CredentialStorage
import FoundationEssentials
import Testing

@Suite("The errors of a token store")
struct TokenErrorTests {
    private static let token = SDKInstallToken(value: "canary-token", installID: "canary-id")

    private func errors(of store: any TokenStore) -> [StorageError] {
        [{ _ = try store.load() }, { try store.save(Self.token) }, { try store.clear() }].compactMap(storageError)
    }

    private func storageError(_ body: () throws -> Void) -> StorageError? {
        do {
            try body()
            return nil
        } catch {
            return error as? StorageError
        }
    }

    @Test("a store of somebody else fails as foreign, without its text")
    func hidesForeignText() throws {
        let storage = try FiveMemberStorage()
        storage.fail(with: ForeignStorageError())
        let store = StorageTokenStore(storage)
        let errors = errors(of: store)
        #expect(
            errors == [
                .readError(cause: .unavailable(operation: .read, category: .foreign, code: .none)),
                .writeError(cause: .unavailable(operation: .write, category: .foreign, code: .none)),
                .deleteError(cause: .unavailable(operation: .delete, category: .foreign, code: .none)),
            ])
        for error in errors { #expect(!everyRendering(of: error).contains("canary")) }
    }

    @Test("whatever a store answers is one wrapper, that of the operation, around one cause")
    func wrapsOnce() throws {
        let category = UnavailableCategory.locked
        func unavailable(_ operation: StorageOperation) -> StorageError {
            .unavailable(operation: operation, category: category, code: .errno(5))
        }
        let storage = try FiveMemberStorage()
        let store = StorageTokenStore(storage)
        let shapes: [StorageError] = [
            unavailable(.read), .readError(cause: unavailable(.read)), .writeError(cause: unavailable(.delete)),
            .deleteError(cause: .readError(cause: .writeError(cause: unavailable(.write)))),
        ]
        for shape in shapes {
            storage.fail(with: shape)
            #expect(
                errors(of: store) == [
                    .readError(cause: unavailable(.read)), .writeError(cause: unavailable(.write)),
                    .deleteError(cause: unavailable(.delete)),
                ])
        }
        storage.fail(with: StorageError.readError(cause: .wrongKey))
        #expect(
            errors(of: store) == [
                .readError(cause: .wrongKey), .writeError(cause: .wrongKey), .deleteError(cause: .wrongKey),
            ])
    }

    @Test("an unusable name, a closed store and a value over the limit keep their causes")
    func keepsCauses() throws {
        let storage = StorageBuilder.InMemory().valueLimit(100).build()
        for key in ["", "a\u{0}b", String(repeating: "x", count: 1025)] {
            #expect(
                errors(of: StorageTokenStore(storage, key: key)).map(\.cause)
                    == .init(repeating: .invalidEntryKey, count: 3))
        }
        let store = StorageTokenStore(storage)
        let long = SDKInstallToken(value: String(repeating: "x", count: 200))
        #expect(throws: StorageError.writeError(cause: .valueTooLarge(limit: 100))) { try store.save(long) }
        #expect(try store.load() == nil)
        storage.close()
        #expect(errors(of: store).map(\.category) == [.closed, .closed, .closed])
        #expect(throws: StorageError.self) { try store.replace(nil, with: nil) }
    }

    @Test("a save replaces an entry that nothing can bring back, and no other that cannot be read")
    func replacesOnlyWhatIsLost() throws {
        for reason in UndecryptableReason.allCases {
            let storage = ScriptedAtomicStorage()
            try storage.base.set("old", forKey: "install-token")
            storage.readFailure.withLock { $0 = .readError(cause: .undecryptable(reason)) }
            let store = StorageTokenStore(storage)
            let refusal = StorageError.writeError(cause: .undecryptable(reason))
            #expect(throws: refusal) { try store.replace(nil, with: Self.token) }
            if reason == .damaged || reason == .keyLost {
                try store.save(Self.token)
                storage.readFailure.withLock { $0 = nil }
                #expect(try store.load() == Self.token)
            } else {
                #expect(throws: refusal) { try store.save(Self.token) }
                #expect(try storage.base.string(forKey: "install-token") == "old")
            }
        }
    }

    @Test("where others always come first, saving and replacing end with a conflict", .timeLimit(.minutes(1)))
    func endsWithConflict() {
        let storage = ScriptedAtomicStorage()
        storage.losesEveryRace.withLock { $0 = true }
        let store = StorageTokenStore(storage)
        #expect(throws: StorageError.writeError(cause: .conflict)) { try store.save(Self.token) }
        #expect(throws: StorageError.writeError(cause: .conflict)) { try store.replace(nil, with: Self.token) }
    }

    @Test("a write whose outcome is not known says so", .timeLimit(.minutes(1)))
    func passesNotConfirmed() {
        let storage = ScriptedAtomicStorage()
        let lost = StorageError.unavailable(operation: .write, category: .notConfirmed, code: .none)
        storage.changeFailure.withLock { $0 = .writeError(cause: lost) }
        let store = StorageTokenStore(storage)
        #expect(throws: StorageError.writeError(cause: lost)) { try store.save(Self.token) }
        #expect(throws: StorageError.writeError(cause: lost)) { try store.replace(nil, with: Self.token) }
    }
}

/// A memory store whose reads and comparisons can be made to fail.
final class ScriptedAtomicStorage: AtomicStorage {
    let base = StorageBuilder.InMemory().build()
    let readFailure = Locked<StorageError?>(nil)
    let changeFailure = Locked<StorageError?>(nil)
    let losesEveryRace = Locked(false)

    func get(_ key: String) throws -> Data? {
        if let failure = readFailure.withLock({ $0 }) { throw failure }
        return try base.get(key)
    }
    func set(_ value: Data, forKey key: String) throws { try base.set(value, forKey: key) }
    func delete(_ key: String) throws -> Bool { try base.delete(key) }
    func readAll() throws -> BulkRead { try base.readAll() }
    func keys() throws -> [String] { try base.keys() }
    func acquireLock(_ name: String, timeout: Duration) throws -> StorageLock {
        try base.acquireLock(name, timeout: timeout)
    }
    func compareAndSet(_ key: String, expected: Data?, new: Data?) throws -> Bool {
        if let failure = changeFailure.withLock({ $0 }) { throw failure }
        return losesEveryRace.withLock { $0 } ? false : try base.compareAndSet(key, expected: expected, new: new)
    }
}

import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import CredentialStorageTesting
import Foundation
import Testing

@Suite("A key that is an entry of another store", .timeLimit(.minutes(5)))
struct EntryKeyTests {
    private let vault: TestVault
    private let keys = StorageBuilder.InMemory().build()

    init() throws { vault = try TestVault(isMade: false) }

    private func builder(_ store: any Storage) -> StorageBuilder.EncryptedFile {
        StorageBuilder.EncryptedFile(service: "test").path(vault.path).log(.silent)
            .keySource(.entry("vault-key", in: store))
    }

    private func isUntouched() throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: vault.directory).isEmpty && keys.keys().isEmpty
    }

    @Test("the first write makes it where the other store proves that it has none, and later starts use it")
    func firstWrite() throws {
        #expect(try builder(keys).build().get("name") == nil)
        #expect(try isUntouched())
        try builder(keys).build().set("value", forKey: "name")
        let key = try #require(try keys.get("vault-key"))
        #expect(key.count == 32 && Set(key).count > 8)
        #expect(try keys.keys() == ["vault-key"])
        #expect(try builder(keys).build().string(forKey: "name") == "value")
        #expect(try keys.get("vault-key") == key)
        // An entry that is there is used and never replaced.
        let second = try TestVault(isMade: false)
        let store = StorageBuilder.EncryptedFile(service: "test").path(second.path).log(.silent)
            .keySource(.entry("vault-key", in: keys.observed { _ in })).build()
        try store.create()
        #expect(try keys.get("vault-key") == key)
        #expect(failure { try store.create() } == .writeError(cause: .conflict))
    }

    @Test("a vault whose key is gone, too short or another one opens nothing, and no key is made for it")
    func lost() throws {
        try builder(keys).build().set("value", forKey: "name")
        let key = try #require(try keys.get("vault-key"))
        try keys.delete("vault-key")
        try KeySourceTests.expect(KeySourceTests.unavailable(.keySourceMissing), of: builder(keys), vault, "gone")
        #expect(failure { try builder(keys).build().create() } == .writeError(cause: .conflict))
        #expect(try keys.keys().isEmpty)
        for wrong in [Data(), key.prefix(31), key + [0]] {
            try keys.set(wrong, forKey: "vault-key")
            try KeySourceTests.expect(
                KeySourceTests.unavailable(.keySourceUnavailable), of: builder(keys), vault, "\(wrong.count) bytes")
            #expect(try keys.get("vault-key") == wrong)
        }
        try keys.set(Data(key.map { $0 ^ 1 }), forKey: "vault-key")
        try KeySourceTests.expect({ _ in .wrongKey }, of: builder(keys), vault, "another")
        try keys.set(key, forKey: "vault-key")
        #expect(try builder(keys).build().string(forKey: "name") == "value")
    }

    @Test(
        "what the other store answers is the answer, and a first start makes neither key nor vault",
        arguments: [
            UnavailableCategory.locked, .promptNeeded, .promptDismissed, .noSessionBus, .noProvider, .providerLost,
            .accessDenied, .timedOut, .boundToAnotherProvider, .closed,
        ])
    func unreachable(_ category: UnavailableCategory) throws {
        for kind in [StorageCall.Kind.withSecret, .compareAndSet] {
            let store = FaultInjectingStorage(keys)
            store.fail(
                StorageFailure(
                    kind, at: 1, .fromThereOn,
                    error: .readError(cause: .unavailable(operation: .read, category: category, code: .none))))
            let first = builder(store).build()
            #expect(
                failure { try first.set("value", forKey: "name") }
                    == .writeError(cause: .unavailable(operation: .write, category: category, code: .none)))
            #expect(failure { try first.create() }?.category == category)
            #expect(try isUntouched())
        }
        try builder(keys).build().set("value", forKey: "name")
        let store = FaultInjectingStorage(keys)
        store.fail(
            StorageFailure(
                .withSecret, at: 1, .fromThereOn,
                error: .readError(cause: .unavailable(operation: .read, category: category, code: .none))))
        try KeySourceTests.expect(KeySourceTests.unavailable(category), of: builder(store), vault, "\(category)")
        store.stopFailing()
        #expect(try builder(store).build().string(forKey: "name") == "value")
    }

    @Test("what is wrong with the entry or the other store as such is no fact about the vault")
    func damaged() throws {
        try builder(keys).build().set("value", forKey: "name")
        let causes: [StorageError] = [
            .undecryptable(.damaged), .wrongKey, .damaged, .notAStore, .ambiguous, .conflict,
            .unavailable(operation: .read, category: .foreign, code: .none),
        ]
        for cause in causes {
            let store = FaultInjectingStorage(keys)
            store.fail(StorageFailure(.withSecret, at: 1, .fromThereOn, error: .readError(cause: cause)))
            try KeySourceTests.expect(
                KeySourceTests.unavailable(.keySourceUnavailable), of: builder(store), vault, "\(cause)")
        }
    }

    @Test("a key is made only where two first starts would agree on it: not in a store that cannot compare")
    func plain() throws {
        let plain = PlainStorage(base: keys)
        #expect(failure { try builder(plain).build().set("value", forKey: "name") }?.category == .keySourceMissing)
        #expect(try isUntouched())
        try keys.set(Data(0..<32), forKey: "vault-key")
        try builder(plain).build().set("value", forKey: "name")
        #expect(try builder(plain).build().string(forKey: "name") == "value")
    }

    @Test("a store that does not keep what it was given makes no vault")
    func forgetful() throws {
        let store = ForgetfulStorage(base: keys)
        #expect(failure { try builder(store).build().set("value", forKey: "name") }?.category == .keySourceUnavailable)
        #expect(try isUntouched())
    }

    @Test("a first start that stopped between the key and the vault is taken up by the next one, with the same key")
    func stopped() throws {
        let disk = FaultyFileSystem { _, call in call == .renameExclusively ? .fails(EIO) : nil }
        let first = builder(keys).fileSystem(disk).build()
        #expect(failure { try first.set("value", forKey: "name") }?.category == .ioError)
        let key = try #require(try keys.get("vault-key"))
        #expect(access(vault.path, F_OK) != 0)
        try builder(keys).build().set("value", forKey: "name")
        #expect(try keys.get("vault-key") == key)
        #expect(try builder(keys).build().string(forKey: "name") == "value")
        #expect(vault.litter().isEmpty)
    }

    @Test("first starts at once agree on one key and one vault")
    func firstStarts() throws {
        for _ in 0..<20 {
            let place = try EntryKeyTests()
            try onThreads(4) { index in
                try place.builder(place.keys).build().set("\(index)", forKey: "name \(index)")
            }
            let names = try place.builder(place.keys).build().keys()
            #expect(names == (0..<4).map { "name \($0)" })
            #expect(try place.keys.keys() == ["vault-key"])
        }
    }

    @Test("protection names the entry, and a store in memory makes the vault as volatile as itself")
    func protection() throws {
        let other = try TestVault()
        for (store, durability) in [(keys as any Storage, Protection.Durability.volatile), (other.store, .durable)] {
            let place = try EntryKeyTests()
            let vault = place.builder(store).build()
            for isMade in [false, true] {
                if isMade { try vault.create() }
                let protection = try vault.protection
                #expect(protection.source == .entry && protection.device == .none)
                #expect(protection.durability == durability)
            }
            // A second key that lasts keeps the entries.
            try vault.addKey(.keyFile(place.vault.keyPath))
            #expect(try vault.protection.durability == .durable)
            #expect(try vault.protection.source == .entry)
        }
    }
}

/// A store that is no more than one.
private struct PlainStorage: InterceptingStorage {
    let base: InMemoryStorage

    func intercept<R>(_ call: StorageCall, _ body: () throws -> R) throws -> R { try body() }
}

/// A store that says that it kept what it was given, and did not.
private struct ForgetfulStorage: InterceptingStorage, AtomicStorage {
    let base: InMemoryStorage

    func intercept<R>(_ call: StorageCall, _ body: () throws -> R) throws -> R { try body() }
    func compareAndSet(_ key: String, expected: Data?, new: Data?) throws -> Bool { true }
}

import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("Key slots", .timeLimit(.minutes(5)))
struct KeySlotTests {
    private let vault: TestVault
    private let truth: Truth
    private let store: EncryptedFileStorage

    init() throws {
        (vault, truth) = try makeSample()
        store = vault.builder.keyDerivation(.floor).build()
    }

    private func opened(by source: KeySource) -> EncryptedFileStorage { vault.builder.keySource(source).build() }

    private func passphrase(_ text: String) -> KeySource { .passphrase { text } }

    @Test("a second key opens the vault beside the first one, and only the header was written")
    func add() throws {
        let log = try vault.bytes()[16384...]
        let slot = try store.addKey(passphrase("correct horse"))
        #expect(slot.id == 2 && slot.source == .passphrase && !slot.isBoundToMachine)
        #expect(try store.keySlots().map(\.source) == [.keyFile, .passphrase])
        #expect(try store.keySlots().map(\.id) == [1, 2])
        #expect(try vault.bytes()[16384...] == log)
        for reader in [store, vault.store, opened(by: passphrase("correct horse"))] {
            #expect(truth.violations(of: reader).isEmpty)
            #expect(try reader.verify()?.isSound == true)
        }
        #expect(failure { try opened(by: passphrase("wrong")).get("a") }?.cause == .wrongKey)
        // Both go on to write.
        try opened(by: passphrase("correct horse")).set("1", forKey: "by passphrase")
        try vault.store.set("2", forKey: "by file")
        #expect(try store.string(forKey: "by passphrase") == "1")
        #expect(vault.litter().isEmpty)
    }

    @Test("a removed key opens nothing, whoever is using the vault goes on, and the last one stays")
    func remove() throws {
        let running = opened(by: .keyFile(vault.keyPath))
        _ = try running.keys()
        let slot = try store.addKey(passphrase("correct horse"))
        try store.removeKey(inSlot: 1)
        #expect(failure { try vault.store.get("a") }?.cause == .wrongKey)
        try running.set("still here", forKey: "name")
        #expect(try opened(by: passphrase("correct horse")).string(forKey: "name") == "still here")
        let bytes = try vault.bytes()
        let last = StorageError.writeError(cause: .lastKeySlot)
        #expect(failure { try store.removeKey(inSlot: slot.id) } == last)
        #expect(failure { try store.removeKey(inSlot: 1) } == .writeError(cause: .conflict))
        for id in [0, -1, 7, Int.max] { #expect(failure { try store.removeKey(inSlot: id) }?.cause == .conflict) }
        #expect(try vault.bytes() == bytes)
    }

    @Test("a changed key takes the place of the old one under the same number")
    func change() throws {
        let key = vault.root + "/another.key"
        #expect(try store.changeKey(inSlot: 1, to: .keyFile(key)).id == 1)
        #expect(try readFile(key).count == 32)
        #expect(failure { try vault.store.get("a") }?.cause == .wrongKey)
        #expect(truth.violations(of: opened(by: .keyFile(key))).isEmpty)
        let slot = try store.changeKey(inSlot: 1, to: passphrase("correct horse"))
        #expect(slot.id == 1 && slot.source == .passphrase)
        #expect(failure { try opened(by: .keyFile(key)).get("a") }?.cause == .wrongKey)
        #expect(truth.violations(of: opened(by: passphrase("correct horse"))).isEmpty)
        #expect(truth.violations(of: store).isEmpty)
        #expect(failure { try store.changeKey(inSlot: 2, to: passphrase("x")) }?.cause == .conflict)
    }

    @Test("numbers are never given again, and there is room for eight")
    func numbers() throws {
        #expect(try store.addKey(passphrase("two")).id == 2)
        try store.removeKey(inSlot: 2)
        #expect(try vault.store.addKey(.keyFile(vault.root + "/three")).id == 3)
        for id in 4...9 { #expect(try store.addKey(.keyFile("\(vault.root)/key \(id)")).id == id) }
        let (bytes, isAsked) = (try vault.bytes(), Locked(false))
        let ninth = KeySource.passphrase { () -> String in
            isAsked.withLock { $0 = true }
            return "nine"
        }
        #expect(failure { try store.addKey(ninth) } == .writeError(cause: .conflict))
        #expect(failure { try store.addKey(.keyFile(vault.root + "/ninth")) }?.cause == .conflict)
        #expect(!isAsked.withLock { $0 } && access(vault.root + "/ninth", F_OK) != 0)
        #expect(try vault.bytes() == bytes)
        for id in 4...9 { #expect(truth.violations(of: opened(by: .keyFile("\(vault.root)/key \(id)"))).isEmpty) }
        try store.removeKey(inSlot: 5)
        try store.compact()
        #expect(try store.addKey(.keyFile(vault.root + "/ten")).id == 10)
        try store.rotateDataKey()
        try store.removeKey(inSlot: 10)
        #expect(try store.addKey(.keyFile(vault.root + "/eleven")).id == 11)
    }

    @Test("passphrases that together ask for more than is allowed are refused before they lock everybody out")
    func work() throws {
        let limits = Argon2Limits(passes: 4, kibibytes: 19456, product: 2 * 19456)
        let strict = vault.builder.keyDerivation(.floor).keyDerivationLimits(limits).build()
        try strict.addKey(passphrase("one"))
        try strict.addKey(passphrase("two"))
        let bytes = try vault.bytes()
        #expect(failure { try strict.addKey(passphrase("three")) } == .writeError(cause: .parametersOutOfRange))
        let weak = vault.builder.keyDerivation(Argon2Parameters(passes: 1, kibibytes: 8)).build()
        #expect(failure { try weak.addKey(passphrase("four")) }?.cause == .parametersOutOfRange)
        #expect(try vault.bytes() == bytes)
    }

    @Test("without a vault there are no slots, and none is made")
    func absent() throws {
        let none = try TestVault(isMade: false)
        #expect(try none.store.keySlots().isEmpty)
        #expect(failure { try none.store.addKey(passphrase("x")) }?.cause == .conflict)
        #expect(failure { try none.store.removeKey(inSlot: 1) }?.cause == .conflict)
        #expect(failure { try none.store.changeKey(inSlot: 1, to: passphrase("x")) }?.cause == .conflict)
        #expect(try FileManager.default.contentsOfDirectory(atPath: none.root) == ["data"])
    }

    @Test("a key that cannot be had changes nothing")
    func sources() throws {
        struct Trouble: Error {}
        let bytes = try vault.bytes()
        let broken = KeySource.passphrase { () throws -> String in throw Trouble() }
        #expect(failure { try store.addKey(broken) }?.category == .keySourceUnavailable)
        #expect(failure { try store.addKey(passphrase("")) }?.category == .keySourceUnavailable)
        #expect(failure { try store.addKey(.keyFile(vault.path)) }?.category == .keySourceUnavailable)
        #expect(failure { try store.addKey(.keyFile(vault.root + "/none/key")) } != nil)
        #expect(failure { try opened(by: passphrase("wrong")).addKey(passphrase("x")) }?.cause == .wrongKey)
        #expect(try vault.bytes() == bytes)
    }

    @Test(
        "a vault that is bound to this machine gets bound slots, whoever adds them",
        .enabled(if: access("/etc/machine-id", R_OK) == 0, "this machine has no machine id"))
    func machine() throws {
        let bound = try TestVault(isMade: false)
        try bound.builder.accessibility(.afterFirstUnlockThisDeviceOnly).build().create()
        let plain = bound.builder.keyDerivation(.floor).build()
        #expect(try plain.addKey(passphrase("two")).isBoundToMachine)
        #expect(try plain.changeKey(inSlot: 1, to: .keyFile(bound.root + "/new")).isBoundToMachine)
        try bound.builder.keySource(passphrase("two")).build().set("value", forKey: "name")
        #expect(try bound.builder.keySource(.keyFile(bound.root + "/new")).build().string(forKey: "name") == "value")
        // And one that is not stays open elsewhere for the keys that it has.
        #expect(try store.addKey(passphrase("two")).isBoundToMachine == false)
    }

    @Test("each copy of the header is synced before the other is touched, and the key before both")
    func order() throws {
        let disk = FaultyFileSystem()
        let store = vault.builder.fileSystem(disk).build()
        _ = try store.keys()
        disk.restart()
        try store.addKey(.keyFile(vault.root + "/second"))
        let changes = disk.trace.filter { $0.isChange }
        let copies = changes.filter { call in
            if case .write(let offset, 8192) = call { offset >= 0 } else { call == .syncData }
        }
        #expect(
            copies == [.write(offset: 8192, count: 8192), .syncData, .write(offset: 0, count: 8192), .syncData])
        let key = try #require(changes.firstIndex { $0 == .link || $0 == .renameExclusively })
        let header = try #require(changes.firstIndex(of: .write(offset: 8192, count: 8192)))
        #expect(changes[key - 1] == .sync && changes[key + 1] == .sync && key < header)
    }

    @Test("changes by many at once all happen")
    func many() throws {
        let vault = vault
        try onThreads(4) { index in
            let store = vault.builder.build()
            try store.addKey(.keyFile("\(vault.root)/thread \(index)"))
            try store.set("\(index)", forKey: "thread \(index)")
        }
        #expect(try Set(store.keySlots().map(\.id)) == [1, 2, 3, 4, 5])
        for index in 0..<4 {
            #expect(try opened(by: .keyFile("\(vault.root)/thread \(index)")).string(forKey: "thread 0") == "0")
        }
    }
}

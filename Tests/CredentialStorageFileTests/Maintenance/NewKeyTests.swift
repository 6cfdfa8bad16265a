import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("A key that is made for a slot", .timeLimit(.minutes(5)))
struct NewKeyTests {
    private let vault: TestVault
    private let path: String

    init() throws {
        vault = try TestVault()
        try vault.quickStore.set("value", forKey: "name")
        path = vault.root + "/new.key"
    }

    private var new: KeySource { .keyFile(path) }
    private var isThere: Bool { access(path, F_OK) == 0 }

    private func changes(_ store: EncryptedFileStorage) -> [() throws -> KeySlot] {
        [{ try store.addKey(new) }, { try store.changeKey(inSlot: 1, to: new) }]
    }

    @Test("is not made where the vault cannot be opened, written to or found")
    func refused() throws {
        let disk = FaultyFileSystem { [vault] _, call in
            call == .open(vault.path, .readWrite) ? .fails(EROFS) : nil
        }
        let others: [(EncryptedFileStorage, (StorageError?) -> Bool)] = [
            (vault.builder.fileSystem(disk).build(), { $0?.category == .readOnly }),
            (vault.builder.keySource(.passphrase { "wrong" }).build(), { $0?.cause == .wrongKey }),
            (vault.builder.keySource(.keyFile(vault.root + "/none")).build(), { $0?.category == .keySourceMissing }),
        ]
        let before = try vault.bytes()
        for (store, isExpected) in others {
            for change in changes(store) {
                let error = failure(change)
                #expect(isExpected(error), "\(String(describing: error))")
                #expect(!isThere)
            }
        }
        chmod(vault.path, 0o640)
        for change in changes(vault.store) {
            #expect(failure(change)?.category == .insecurePermissions)
            #expect(!isThere)
        }
        chmod(vault.path, 0o600)
        #expect(failure { try vault.store.changeKey(inSlot: 7, to: new) }?.cause == .conflict)
        #expect(try !isThere && vault.bytes() == before)
    }

    @Test("is gone again where the change fails at any call, and there where it may have happened", arguments: 0..<2)
    func sweep(kind: Int) throws {
        var number = 1
        while true {
            let copy = try vault.copy(number, vault: try vault.bytes())
            let (target, isReached) = (number, Locked(false))
            let disk = FaultyFileSystem(syncs: false)
            let store = copy.builder.fileSystem(disk).build()
            _ = try store.keys()
            disk.restart { number, call in
                guard call.isChange, number == target else { return nil }
                isReached.withLock { $0 = true }
                return .fails(EIO)
            }
            let error = failure(changes(store)[kind])
            disk.restart()
            let what = "call \(number): \(String(describing: error))"
            let isNew = try copy.quickStore.keySlots().count == 2 || failure { try copy.store.get("name") } != nil
            #expect(isThere == (error == nil || error?.category == .notConfirmed), "\(what)")
            if error == nil { #expect(isNew, "\(what)") }
            if isNew { #expect(try copy.builder.keySource(new).build().string(forKey: "name") == "value", "\(what)") }
            unlink(path)
            #expect(try FileManager.default.contentsOfDirectory(atPath: vault.root).allSatisfy { $0 != "new.key.new" })
            guard isReached.withLock({ $0 }) else { return #expect(error == nil && number > 6) }
            number += 1
        }
    }

    @Test("is gone again from another store where the change fails, unless it is in use or was replaced there")
    func entry() throws {
        let keys = StorageBuilder.InMemory().build()
        let source = KeySource.entry("vault-key", in: keys)
        let broken = FaultyFileSystem { _, call in
            call == .write(offset: 8192, count: 8192) ? .fails(EIO) : nil
        }
        for change in [{ try $0.addKey(source) }, { try $0.changeKey(inSlot: 1, to: source) }]
            as [(EncryptedFileStorage) throws -> KeySlot]
        {
            #expect(failure { try change(vault.builder.fileSystem(broken).build()) }?.category == .ioError)
            #expect(try keys.get("vault-key") == nil)
        }
        let replacing = FaultyFileSystem { _, call in
            guard call == .write(offset: 8192, count: 8192) else { return nil }
            try? keys.set(Data(repeating: 5, count: 32), forKey: "vault-key")
            return .fails(EIO)
        }
        #expect(failure { try vault.builder.fileSystem(replacing).build().addKey(source) }?.category == .ioError)
        #expect(try keys.get("vault-key") == Data(repeating: 5, count: 32))
        try keys.delete("vault-key")
        // Another process finds the key and makes a slot with it, before this one has the lock.
        let other = Locked<EncryptedFileStorage?>(vault.store)
        let overtaken = FaultyFileSystem { _, call in
            guard call == .status, let key = try? keys.get("vault-key"), key.count == 32 else { return nil }
            _ = try? other.withLock { $0.take() }?.addKey(source)
            return nil
        }
        let store = vault.builder.fileSystem(overtaken).build()
        _ = try store.keys()
        #expect(failure { try store.addKey(source) } == .writeError(cause: .conflict))
        #expect(try vault.builder.keySource(source).build().string(forKey: "name") == "value")
        try vault.store.removeKey(inSlot: 2)
        try keys.set(Data(repeating: 5, count: 32), forKey: "vault-key")
        #expect(failure { try vault.builder.fileSystem(broken).build().addKey(source) }?.category == .ioError)
        #expect(try keys.get("vault-key") == Data(repeating: 5, count: 32))
    }

    @Test("one that was there stays, whatever happens to the change")
    func present() throws {
        try writeFile(path, [UInt8](repeating: 9, count: 32))
        let disk = FaultyFileSystem { _, call in
            call == .write(offset: 8192, count: 8192) ? .fails(EIO) : nil
        }
        for change in changes(vault.builder.fileSystem(disk).build()) {
            #expect(failure(change)?.category == .ioError)
            #expect(try readFile(path) == [UInt8](repeating: 9, count: 32))
        }
    }

    @Test("is refused where it opens the vault already, and may take its own place again")
    func twice() throws {
        let store = vault.builder.keyDerivation(.floor).build()
        try store.addKey(new)
        let before = try vault.bytes()
        let copy = vault.root + "/copy.key"
        try writeFile(copy, try readFile(path))
        for source in [new, .keyFile(copy), .keyFile(vault.keyPath)] {
            #expect(failure { try store.addKey(source) } == .writeError(cause: .conflict))
        }
        #expect(failure { try store.changeKey(inSlot: 1, to: new) } == .writeError(cause: .conflict))
        #expect(try isThere && vault.bytes() == before)
        #expect(try store.changeKey(inSlot: 2, to: .keyFile(copy)).id == 2)
        #expect(try vault.builder.keySource(new).build().string(forKey: "name") == "value")
        let horse = KeySource.passphrase { "correct horse" }
        #expect(try store.addKey(horse).id == 3)
        #expect(failure { try store.addKey(horse) } == .writeError(cause: .conflict))
        #expect(failure { try store.changeKey(inSlot: 1, to: horse) } == .writeError(cause: .conflict))
        #expect(try store.changeKey(inSlot: 3, to: horse).id == 3)
        #expect(try store.keySlots().count == 3)
        let bound = vault.builder.accessibility(.afterFirstUnlockThisDeviceOnly).build()
        if access("/etc/machine-id", R_OK) == 0 {
            // Bound to the machine it is another way in, and that one too is there once.
            #expect(try bound.addKey(.keyFile(copy)).isBoundToMachine)
            #expect(failure { try bound.addKey(.keyFile(copy)) } == .writeError(cause: .conflict))
        }
    }
}

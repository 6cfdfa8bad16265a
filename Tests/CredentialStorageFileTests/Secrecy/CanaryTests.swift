import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import CredentialStorageTesting
import Foundation
import Testing

@Suite("Names and values leak nowhere", .timeLimit(.minutes(5)))
struct CanaryTests {
    @Test("no file of a vault shows a name or a value, nor does anything that is left in its directory")
    func files() throws {
        let vault = try TestVault()
        let canary = Canary()
        let passphrase = Canary()
        let store = vault.store
        for round in 0..<5 {
            try store.set(canary.value + Data("\(round)".utf8), forKey: canary.name)
            try store.setSecret(canary.value.span, forKey: canary.name + "\(round)")
        }
        _ = try store.compareAndSet("x", expected: nil, new: canary.value)
        try store.update { try $0.set(canary.text, forKey: "y" + canary.name) }
        try store.delete(canary.name)
        try store.acquireLock(canary.name, timeout: .zero).release()
        let other = vault.directory + "/other.vault"
        try vault.builder.path(other).keyDerivation(.floor).keySource(.passphrase { passphrase.text }).build()
            .set("x", forKey: canary.name)
        let key = try readFile(vault.keyPath)
        let keyCanary = Canary(name: String(repeating: "unused", count: 3), text: passphrase.text)
        for file in try FileManager.default.contentsOfDirectory(atPath: vault.directory) {
            #expect(canary.leaks(in: file).isEmpty)
            let content = Data(try readFile(vault.directory + "/" + file))
            #expect(canary.leaks(in: content).isEmpty, "\(file)")
            #expect(keyCanary.leaks(in: content).isEmpty, "\(file)")
            #expect(content.range(of: Data(key)) == nil && content.range(of: Data(key.prefix(16))) == nil, "\(file)")
        }
    }

    @Test("no error and no log shows a name, a value or a path; only an omission is logged with its name")
    func renderings() throws {
        let vault = try TestVault()
        let canary = Canary(name: "CanaryName" + Canary().name, text: Canary().text)
        let path = Canary(name: vault.path, text: vault.keyPath)
        let log = RecordedLog()
        let builder = vault.builder.log(log.log).valueLimit(1000)
        try builder.build().set(canary.value, forKey: canary.name)
        try builder.build().set(canary.value, forKey: "other")
        let sound = try vault.bytes()
        var errors: [any Error] = []
        var shown: [String] = []
        func provoke(_ builder: StorageBuilder.EncryptedFile) {
            let store = builder.build()
            let doors: [() throws -> Void] = [
                { _ = try store.get(canary.name) }, { try store.set(canary.value, forKey: canary.name) },
                { try store.set(canary.value + Data(count: 1000), forKey: canary.name) },
                { try store.delete(canary.name) }, { _ = try store.readAll() }, { _ = try store.keys() },
                { _ = try store.get(canary.name + "\0") }, { _ = try store.verify() }, { _ = try store.protection },
                { _ = try store.compareAndSet(canary.name, expected: canary.value, new: canary.value + [1]) },
                { try store.update { try $0.set(canary.value + Data(count: 1000), forKey: canary.name) } },
                { try store.create() },
            ]
            for door in doors {
                do { try door() } catch { errors.append(error) }
            }
            if let reason = store.probe().reason { errors.append(reason) }
            shown += Canary.renderings(of: store.probe()) + Canary.renderings(of: (try? store.readAll()) as Any)
            shown += Canary.renderings(of: (try? store.verify()) as Any)
            shown += Canary.renderings(of: store) + Canary.renderings(of: builder)
        }
        provoke(builder)
        provoke(builder.keySource(.keyFile(vault.keyPath + ".missing")))
        provoke(builder.keySource(.passphrase { canary.text }))
        provoke(builder.path(vault.directory + "/missing/vault").keySource(.keyFile("/nowhere")))
        for failing in [EIO, ENOSPC, EACCES] {
            provoke(builder.fileSystem(FaultyFileSystem { _, call in call.isChange ? .fails(failing) : nil }))
        }
        chmod(vault.path, 0o644)
        provoke(builder)
        chmod(vault.path, 0o600)
        for place in [16384 + 8, 16384 + 130, 16384 + 100, 3, 200] {
            try vault.edit {
                $0 = sound; $0[place] ^= 1; if place < 8192 { $0[8192 + place] ^= 1 }
            }
            provoke(builder)
        }
        try vault.edit {
            $0 = sound; $0[16384 + 130] ^= 1
        }
        #expect(errors.count > 40)
        #expect(errors.allSatisfy { $0 is StorageError })
        // Searched once as one text, because a search looks for many disguises.
        shown += errors.flatMap { Canary.renderings(of: $0) } + log.messages
        let text = Set(shown).sorted().joined(separator: "\n")
        #expect(canary.leaks(in: text).isEmpty && path.leaks(in: text).isEmpty, "\(text)")
        #expect(canary.leaks(in: "\(builder.build())").isEmpty)
        #expect(log.omissions.isEmpty)

        // A bulk read as a dictionary logs each omission by its name, and nothing else of it.
        let entries = try builder.build().getAll()
        #expect(entries.count == 1 && entries["other"] == canary.value)
        #expect(log.omissions == [canary.name])
        #expect(canary.leaks(in: log.messages.joined(separator: "\n")).isEmpty)
    }
}

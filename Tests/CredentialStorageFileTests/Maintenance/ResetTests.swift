import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("Reset", .timeLimit(.minutes(5)))
struct ResetTests {
    private let vault: TestVault

    init() throws {
        vault = try TestVault()
        try vault.store.set("value", forKey: "name")
    }

    private let kept = "credentials.vault.old-1"

    /// An empty vault is at the path, works, and the old bytes are beside it.
    private func expectEmpty(_ vault: TestVault, _ old: [UInt8], _ source: KeySource? = nil) throws {
        let store = source.map { vault.builder.keySource($0).build() } ?? vault.store
        #expect(try store.readAll().entries.isEmpty)
        #expect(try store.get("name") == nil)
        #expect(try store.verify()?.isSound == true)
        try store.set("new", forKey: "name")
        #expect(try store.string(forKey: "name") == "new")
        #expect(vault.litter() == [kept])
        #expect(try readFile(vault.directory + "/" + kept) == old)
    }

    @Test("makes an empty vault, keeps the old one, and those who run go on")
    func sound() throws {
        let (old, running) = (try vault.bytes(), vault.store)
        _ = try running.keys()
        #expect(try vault.store.reset() == kept)
        #expect(try running.get("name") == nil)
        try expectEmpty(vault, old)
        #expect(try running.string(forKey: "name") == "new")
        #expect(try vault.builder.path(vault.directory + "/" + kept).build().string(forKey: "name") == "value")
    }

    @Test("with a lost key: a key file is made anew")
    func lostKey() throws {
        let old = try vault.bytes()
        unlink(vault.keyPath)
        #expect(failure { try vault.store.get("name") }?.category == .keySourceMissing)
        #expect(try vault.store.reset() == kept)
        #expect(try readFile(vault.keyPath).count == 32)
        try expectEmpty(vault, old)
    }

    @Test("with another kind of key")
    func otherKey() throws {
        let old = try vault.bytes()
        let source = KeySource.passphrase { "correct horse" }
        try vault.builder.keySource(source).keyDerivation(.floor).build().reset()
        #expect(failure { try vault.store.get("name") }?.cause == .wrongKey)
        try expectEmpty(vault, old, source)
    }

    @Test("of what is no vault any more", arguments: ["headers", "text", "newer", "empty", "cut"])
    func beyondHelp(kind: String) throws {
        try vault.edit { bytes in
            switch kind {
            case "headers":
                bytes[100] ^= 1
                bytes[8192 + 100] ^= 1
            case "text": bytes = Array("just some text".utf8)
            case "empty": bytes = []
            case "cut": bytes = Array(bytes.prefix(9000))
            default: break
            }
        }
        if kind == "newer" { try vault.editHeaders { $0[8] = 7 } }
        let old = try vault.bytes()
        #expect(try vault.store.reset() == kept)
        try expectEmpty(vault, old)
    }

    @Test("without a vault nothing happens, and what is somebody else's stays")
    func others() throws {
        let none = try TestVault(isMade: false)
        #expect(try none.store.reset() == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: none.root) == ["data"])
        let disk = FaultyFileSystem(foreign: [vault.path])
        let bytes = try vault.bytes()
        #expect(
            failure { try vault.builder.fileSystem(disk).build().reset() }?.category == .insecurePermissions)
        try writeFile(vault.path + ".new", Array("a draft".utf8))
        #expect(failure { try vault.store.reset() }?.cause == .conflict)
        #expect(try vault.bytes() == bytes)
        #expect(vault.litter() == ["credentials.vault.new"])
        let broken = KeySource.passphrase { () -> String in "" }
        unlink(vault.path + ".new")
        #expect(failure { try vault.builder.keySource(broken).build().reset() }?.category == .keySourceUnavailable)
        #expect(try vault.bytes() == bytes)
    }

    @Test("that fails takes back the key that it made, so that the old one is still called missing")
    func failing() throws {
        unlink(vault.keyPath)
        let bytes = try vault.bytes()
        for fault in [DiskCall.rename, .link] {
            // The first link gives the key its name.
            let spared = Locked(fault == .link ? 1 : 0)
            let disk = FaultyFileSystem { _, call in
                guard call == fault else { return nil }
                return spared.withLock { spared in
                    spared -= 1
                    return spared < 0 ? .fails(ENOSPC) : nil
                }
            }
            #expect(failure { try vault.builder.fileSystem(disk).build().reset() }?.category == .noSpace)
            #expect(access(vault.keyPath, F_OK) != 0)
            #expect(try vault.bytes() == bytes && vault.litter().isEmpty)
        }
        #expect(failure { try vault.store.get("name") }?.category == .keySourceMissing)
    }

    @Test("waits for a writer, and gives up at its deadline")
    func writer() throws {
        let store = vault.builder.deadline(.milliseconds(200)).build()
        let holder = try SubjectProcess(["hold-vault", vault.path, vault.keyPath])
        #expect(holder.line() == "held")
        #expect(failure { try store.reset() }?.category == .lockTimedOut)
        holder.signal(SIGKILL)
        _ = holder.finish()
        #expect(vault.litter().isEmpty)
        #expect(try store.string(forKey: "name") == "value")
        #expect(try store.reset() == kept)
    }

    @Test("a stop at any call leaves the old vault or an empty one, and the old file", arguments: [true, false])
    func sweep(stops: Bool) throws {
        let old = try vault.bytes()
        var number = 1
        while true {
            let copy = try vault.copy(number, vault: old)
            let (target, isReached) = (number, Locked(false))
            let disk = FaultyFileSystem(syncs: false) { number, call in
                guard call.isChange, stops ? number >= target : number == target else { return nil }
                isReached.withLock { $0 = true }
                return number == target ? .failsHalfway(EIO) : .fails(EIO)
            }
            let error = failure { try copy.builder.fileSystem(disk).build().reset() }
            let what = "call \(number): \(String(describing: error))"
            let present = try copy.quickStore.get("name")
            #expect(present == nil || present == Data("value".utf8), "\(what)")
            if error == nil { #expect(present == nil, "\(what)") }
            if present == nil { #expect(try readFile(copy.directory + "/" + kept) == old, "\(what)") }
            #expect(copy.litter().allSatisfy { $0 == kept }, "\(what)")
            try copy.quickStore.set("next", forKey: "next")
            #expect(try copy.quickStore.verify()?.isSound == true, "\(what)")
            guard isReached.withLock({ $0 }) else { return #expect(error == nil && number > 6) }
            number += 1
        }
    }
}

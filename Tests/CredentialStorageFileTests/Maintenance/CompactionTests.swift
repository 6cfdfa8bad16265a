import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("Compaction", .timeLimit(.minutes(5)))
struct CompactionTests {
    @Test("keeps every entry, leaves out what was replaced and removed, and says the same afterwards")
    func content() throws {
        let (vault, truth) = try makeSample()
        let log = RecordedLog()
        let store = vault.builder.log(log.log).build()
        _ = try store.keys()
        let before = RawFrame.all(in: try vault.bytes())
        try store.compact()
        let frames = RawFrame.all(in: try vault.bytes())
        #expect(frames.count == truth.entries.count && frames.count < before.count)
        #expect(frames.allSatisfy { !$0.isDelete })
        for reader in [store, vault.store] { #expect(truth.violations(of: reader).isEmpty) }
        #expect(try store.verify()?.isSound == true)
        #expect(vault.litter().isEmpty)
        // It goes on from there, and again.
        try store.set("more", forKey: "more")
        try store.delete("more")
        try store.compact()
        try store.compact()
        for reader in [store, vault.store] { #expect(truth.violations(of: reader).isEmpty) }
        #expect(log.messages.isEmpty)
    }

    @Test("without a vault nothing happens, and an empty one stays one")
    func empty() throws {
        let none = try TestVault(isMade: false)
        try none.store.compact()
        #expect(try FileManager.default.contentsOfDirectory(atPath: none.directory).isEmpty)
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        try vault.store.deleteAll()
        try vault.store.compact()
        #expect(try vault.store.keys().isEmpty)
        #expect(try vault.bytes().count == 65536)
        #expect(try vault.store.verify()?.frames.isEmpty == true)
    }

    @Test("happens by itself when more is waste than is in use")
    func automatic() throws {
        let vault = try TestVault()
        let store = vault.quickStore
        try store.set("value", forKey: "kept")
        for round in 0..<300 { try store.set(Data(repeating: UInt8(round % 256), count: 4096), forKey: "name") }
        #expect(try vault.bytes().count < 300_000)
        for index in 0..<100 { try store.set(Data(count: 4096), forKey: "entry \(index)") }
        #expect(try vault.bytes().count > 400_000)
        try store.deleteAll()
        try store.set("value", forKey: "kept")
        #expect(try vault.bytes().count == 65536)
        try store.update { batch in
            for index in 0..<100 { try batch.set(Data(count: 4096), forKey: "entry \(index)") }
        }
        try store.update { batch in
            for index in 0..<100 { try batch.set(Data(count: 8), forKey: "entry \(index)") }
        }
        #expect(try vault.bytes().count < 100_000)
        #expect(try vault.store.keys().count == 101)
        #expect(try vault.store.verify()?.isSound == true)
    }

    @Test("others that have the vault open follow it without a warning, readers and writers")
    func followers() throws {
        let vault = try TestVault()
        let log = RecordedLog()
        let stores = (0..<3).map { _ in vault.builder.log(log.log).build() }
        try stores[0].set("0", forKey: "name")
        for round in 1...20 {
            for store in stores { #expect(try store.string(forKey: "name") == "\(round - 1)") }
            try stores[round % 3].compact()
            try stores[(round + 1) % 3].set("\(round)", forKey: "name")
            #expect(try stores[(round + 2) % 3].string(forKey: "name") == "\(round)")
        }
        #expect(log.messages.isEmpty)
        let other = try SubjectProcess(["obey", vault.path, vault.keyPath])
        #expect(other.ask("get name") == "20")
        for round in 21...30 {
            try stores[0].compact()
            #expect(other.ask("get name") == "\(round - 1)")
            #expect(other.ask("compact") == "done")
            try stores[1].set("\(round)", forKey: "name")
            #expect(other.ask("get name") == "\(round)")
            try stores[2].compact()
            #expect(other.ask("set x \(round)") == "done")
            #expect(try stores[0].string(forKey: "x") == "\(round)")
        }
        #expect(other.finish().status == 0)
        #expect(log.messages.isEmpty)
    }

    @Test("stops at damage, says so, and changes nothing", arguments: [0, 40, 97, 112, 150])
    func damage(place: Int) throws {
        let (vault, _) = try makeSample()
        let frame = RawFrame.all(in: try vault.bytes())[2]
        try vault.edit { $0[frame.offset + place] ^= 1 }
        let bytes = try vault.bytes()
        #expect(failure { try vault.store.compact() } == .writeError(cause: .damaged))
        #expect(try vault.bytes() == bytes)
        #expect(vault.litter().isEmpty)
        // What happens by itself does not go over it either.
        let store = vault.quickStore
        for _ in 0..<100 { try store.set(Data(count: 4096), forKey: "name") }
        #expect(try vault.bytes()[..<(frame.offset + frame.length)] == bytes[..<(frame.offset + frame.length)])
    }

    @Test("syncs the file before the rename and the directory after it, and waits for both before it answers")
    func order() throws {
        let (vault, truth) = try makeSample()
        let disk = FaultyFileSystem()
        let store = vault.builder.fileSystem(disk).build()
        _ = try store.keys()
        disk.restart()
        try store.compact()
        let changes = disk.trace.filter(\.isChange)
        let rename = try #require(changes.firstIndex(of: .rename))
        #expect(changes[rename - 1] == .sync)
        #expect(changes[rename + 1] == .sync)
        // Only the mark and the companion are written behind that, and need no sync.
        #expect(changes[(rename + 2)...].allSatisfy { $0.isWrite })
        #expect(truth.violations(of: vault.store).isEmpty)
    }

    @Test("a directory that could not be synced is synced before the next write is answered")
    func directory() throws {
        let vault = try TestVault()
        let disk = FaultyFileSystem()
        let store = vault.builder.fileSystem(disk).build()
        try store.set("value", forKey: "name")
        let isRenamed = Locked(false)
        disk.restart { _, call in
            isRenamed.withLock { isRenamed -> FaultyFileSystem.Fault? in
                if call == .rename { isRenamed = true }
                return isRenamed && call == .sync ? .fails(EIO) : nil
            }
        }
        _ = failure { try store.compact() }
        #expect(failure { try store.set("new", forKey: "name") }?.category == .ioError)
        #expect(try store.string(forKey: "name") == "value")
        disk.restart()
        try store.set("new", forKey: "name")
        #expect(disk.trace.contains(.sync))
        #expect(try vault.store.string(forKey: "name") == "new")
    }

    @Test("somebody's file at the name of the unfinished one stops it, and another maker at work is waited for")
    func neighbour() throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        let draft = Array("a draft".utf8)
        try writeFile(vault.path + ".new", draft)
        #expect(failure { try vault.store.compact() }?.cause == .conflict)
        #expect(try readFile(vault.path + ".new") == draft)
        // A copy that somebody made of a compacted vault is no litter.
        unlink(vault.path + ".new")
        try vault.store.compact()
        let copy = try vault.bytes()
        try writeFile(vault.path + ".new", copy)
        #expect(failure { try vault.store.compact() }?.cause == .conflict)
        #expect(try vault.store.string(forKey: "name") == "value")
        #expect(try readFile(vault.path + ".new") == copy)
        unlink(vault.path + ".new")
        let held = open(vault.path + ".new", O_RDWR | O_CREAT, 0o600)
        #expect(flock(held, LOCK_EX) == 0)
        let store = vault.builder.deadline(.milliseconds(100)).build()
        #expect(failure { try store.compact() }?.category == .lockTimedOut)
        close(held)
        try store.compact()
        #expect(vault.litter().isEmpty)
    }

    @Test("what a killed compaction left goes with the next opening, and its mark with the next write")
    func leftovers() throws {
        let (vault, truth) = try makeSample()
        let mark = Array("SCV1 unfinished\n".utf8)
        var marked = try vault.bytes()
        marked.replaceSubrange(8176..<8192, with: mark)
        let beginning = [UInt8](repeating: 0, count: 8176) + mark
        for rest in [beginning, beginning + [UInt8](repeating: 7, count: 100_000), marked] {
            try writeFile(vault.path + ".new", rest)
            #expect(truth.violations(of: vault.store).isEmpty)
            #expect(vault.litter().isEmpty)
            try writeFile(vault.path + ".new", rest)
            try vault.store.compact()
            #expect(truth.violations(of: vault.store).isEmpty)
            #expect(vault.litter().isEmpty)
        }
        // Stopped between the rename and the end: the mark is in the vault itself.
        try vault.edit { $0 = marked }
        unlink(vault.companionPath)
        #expect(truth.violations(of: vault.store).isEmpty)
        try vault.store.set("next", forKey: "next")
        #expect(try vault.bytes()[8176..<8192].allSatisfy { $0 == 0 })
        #expect(try vault.store.string(forKey: "next") == "next")
    }

    @Test("a vault whose mode is too open is not copied into a private one")
    func permissions() throws {
        let (vault, _) = try makeSample()
        chmod(vault.path, 0o644)
        #expect(failure { try vault.store.compact() }?.category == .insecurePermissions)
        #expect(vault.litter().isEmpty)
    }
}

extension DiskCall {
    fileprivate var isWrite: Bool { if case .write = self { true } else { false } }
}

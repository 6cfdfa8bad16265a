import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("Other files at the names that a vault uses", .timeLimit(.minutes(5)))
struct NeighbourTests {
    private let vault: TestVault

    init() throws { vault = try TestVault(isMade: false) }

    @Test("a vault or a file of somebody's at the name of the unfinished one is neither removed nor written over")
    func unfinished() throws {
        let neighbour = vault.builder.path(vault.path + ".new")
        try vault.store.create()
        try neighbour.build().create()
        try neighbour.build().set("precious", forKey: "a")
        for _ in 0..<2 {
            try vault.store.set("value", forKey: "b")
            #expect(try neighbour.build().string(forKey: "a") == "precious")
        }
        let other = vault.directory + "/notes"
        try writeFile(other + ".new", Array("a draft".utf8))
        #expect(failure { try vault.builder.path(other).build().set("x", forKey: "a") }?.cause == .conflict)
        #expect(try readFile(other + ".new") == Array("a draft".utf8))
        #expect(access(other, F_OK) != 0)
    }

    @Test("anything but a file at the name of the unfinished one is in the way, hangs nobody, and stays")
    func otherKinds() throws {
        let place = vault.path + ".new"
        let makers: [(String, () -> Void)] = [
            ("directory", { mkdir(place, 0o700) }), ("FIFO", { mkfifo(place, 0o600) }),
            ("socket", { mknod(place, S_IFSOCK | 0o600, 0) }),
        ]
        for (kind, make) in makers {
            make()
            #expect(access(place, F_OK) == 0, "\(kind)")
            #expect(failure { try vault.store.create() } == .writeError(cause: .conflict), "\(kind)")
            #expect(failure { try vault.store.set("x", forKey: "a") } == .writeError(cause: .conflict), "\(kind)")
            #expect(try vault.store.get("a") == nil, "\(kind)")
            #expect(access(vault.keyPath, F_OK) != 0, "\(kind)")
            remove(place)
            try vault.store.create()
            try vault.store.set("value", forKey: "a")
            make()
            let bytes = try vault.bytes()
            let store = vault.store
            #expect(failure { try store.compact() } == .writeError(cause: .conflict), "\(kind)")
            #expect(failure { try store.rotateDataKey() } == .writeError(cause: .conflict), "\(kind)")
            #expect(failure { try store.rotateMasterKey() } == .writeError(cause: .conflict), "\(kind)")
            #expect(failure { try store.reset() } == .writeError(cause: .conflict), "\(kind)")
            try vault.edit { $0[200] ^= 1 }
            #expect(failure { try vault.store.repair() } == .writeError(cause: .conflict), "\(kind)")
            try vault.edit { $0[200] ^= 1 }
            #expect(try vault.bytes() == bytes, "\(kind)")
            try vault.store.set("other", forKey: "b")
            #expect(try vault.store.string(forKey: "a") == "value", "\(kind)")
            #expect(vault.litter() == ["credentials.vault.new"], "\(kind)")
            for path in [place, vault.path, vault.companionPath, vault.keyPath] { remove(path) }
        }
    }

    private static func counted(_ calls: Locked<Int>) -> Int {
        calls.withLock { calls in
            calls += 1
            return calls
        }
    }

    @Test("a maker that fails at any call leaves no unfinished file", arguments: [false, true])
    func failing(isMade: Bool) throws {
        if isMade { try vault.store.create() }
        var number = 1
        while true {
            let (target, calls) = (number, Locked(0))
            let disk = FaultyFileSystem(syncs: false) { _, call in
                if case .remove = call { return nil }
                return Self.counted(calls) == target ? .fails(EIO) : nil
            }
            let store = vault.builder.fileSystem(disk).build()
            let error = failure { isMade ? try store.compact() : try store.create() }
            #expect(vault.litter().isEmpty, "call \(number): \(String(describing: error))")
            if !isMade {
                for path in [vault.path, vault.companionPath] { unlink(path) }
            }
            guard calls.withLock({ $0 }) >= target else { return #expect(error == nil && number > 20) }
            number += 1
        }
    }

    @Test("what a killed first maker left is removed by whoever looks for a vault")
    func firstLitter() throws {
        try writeFile(vault.path + ".new", [])
        #expect(try vault.store.get("a") == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: vault.directory).isEmpty)
    }

    @Test("what a killed maker left is removed")
    func litter() throws {
        try vault.store.create()
        try vault.store.set("value", forKey: "a")
        let header = Array(try vault.bytes().prefix(16384))
        for rest in [[], Array(header.prefix(100)), header, header + [UInt8](repeating: 0, count: 49152)] {
            try writeFile(vault.path + ".new", rest)
            #expect(try vault.store.string(forKey: "a") == "value")
            #expect(access(vault.path + ".new", F_OK) != 0, "\(rest.count) bytes")
        }
    }

    @Test("a file of another kind at the name of the companion is refused and left as it is")
    func companion() throws {
        try vault.store.create()
        try vault.store.set("value", forKey: "a")
        let sound = try vault.bytes()
        let draft = Array("a draft that is nobody's business".utf8)
        for content in [draft, sound, Array(sound.prefix(4096)), [UInt8](repeating: 7, count: 4096)] {
            unlink(vault.companionPath)
            try writeFile(vault.companionPath, content)
            expectObstacle("\(content.count) bytes")
            #expect(try readFile(vault.companionPath) == content)
        }
        unlink(vault.companionPath)
        #expect(try vault.store.string(forKey: "a") == "value")
    }

    /// What stands at the name of the companion is in the way of everything, and a look says so too.
    private func expectObstacle(_ what: String) {
        #expect(failure { try vault.store.get("a") } == .readError(cause: .conflict), "\(what)")
        #expect(failure { try vault.store.set("x", forKey: "a") } == .writeError(cause: .conflict), "\(what)")
        #expect(failure { try vault.store.acquireLock("a", timeout: .zero) } == .readError(cause: .conflict), "\(what)")
        let probe = vault.store.probe()
        #expect(probe.reason == .readError(cause: .conflict) && !probe.isReadable && !probe.isWritable, "\(what)")
    }

    @Test("anything but a file at the name of the companion is in the way, with a vault and before one is made")
    func companionKinds() throws {
        let place = vault.companionPath
        let makers: [(String, () -> Void)] = [
            ("directory", { mkdir(place, 0o700) }), ("FIFO", { mkfifo(place, 0o600) }),
            ("socket", { mknod(place, S_IFSOCK | 0o600, 0) }),
        ]
        for (kind, make) in makers {
            make()
            #expect(failure { try vault.store.set("x", forKey: "a") } == .writeError(cause: .conflict), "\(kind)")
            #expect(try vault.store.get("a") == nil, "\(kind)")
            let probe = vault.store.probe()
            #expect(probe.isReadable && !probe.isWritable && probe.reason?.cause == .conflict, "\(kind)")
            #expect(access(vault.path, F_OK) != 0 && access(vault.keyPath, F_OK) != 0, "\(kind)")
            remove(place)
            try vault.store.create()
            try vault.store.set("value", forKey: "a")
            remove(place)
            make()
            expectObstacle(kind)
            for path in [place, vault.path, vault.keyPath] { remove(path) }
        }
    }

    @Test("a companion with other bytes behind its record, or of another size, is one all the same")
    func strangeCompanion() throws {
        try vault.store.create()
        try vault.store.set("value", forKey: "a")
        let running = vault.store
        let changes: [(String, (inout [UInt8]) -> Void)] = [
            ("byte 128", { $0[128] = 1 }), ("the last byte", { $0[4095] = 0xFF }),
            (
                "another record and another end",
                { bytes in
                    bytes[3] ^= 1
                    bytes[2000] = 7
                }
            ),
            ("cut", { $0.removeLast(4096 - 300) }), ("cut to nothing", { $0.removeAll() }),
            ("longer", { $0 += [1, 2, 3] }), ("much longer", { $0 += [UInt8](repeating: 5, count: 100_000) }),
        ]
        for (what, change) in changes {
            var bytes = try vault.companionBytes()
            change(&bytes)
            try writeFile(vault.companionPath, bytes)
            #expect(vault.store.probe() == .usable, "\(what)")
            #expect(try vault.store.string(forKey: "a") == "value", "\(what)")
            try vault.store.set("value of \(what)", forKey: "b")
            #expect(try running.string(forKey: "b") == "value of \(what)", "\(what)")
            try vault.store.acquireLock("a", timeout: .seconds(1)).release()
            #expect(try vault.companionBytes()[128..<4096].allSatisfy { $0 == 0 }, "\(what)")
        }
    }

    @Test("a look tells of a first vault that cannot be made, because something stands at its unfinished name")
    func unmakeable() throws {
        try writeFile(vault.path + ".new", Array("a draft".utf8))
        let probe = vault.store.probe()
        #expect(probe.isReadable && !probe.isWritable && probe.reason == .writeError(cause: .conflict))
        #expect(try vault.store.get("a") == nil)
        unlink(vault.path + ".new")
        #expect(vault.store.probe() == .usable)
    }

    @Test("a key file is refused at the places of the store's own files", arguments: ["", ".lock", ".new", "/../V"])
    func key(suffix: String) throws {
        let place = suffix == "/../V" ? vault.directory + "/../data/credentials.vault.lock" : vault.path + suffix
        let builder = vault.builder.keySource(.keyFile(place))
        #expect(failure { try builder.build().create() }?.category == .keySourceUnavailable)
        #expect(try FileManager.default.contentsOfDirectory(atPath: vault.directory).isEmpty)
        let key = [UInt8](repeating: 3, count: 32)
        try writeFile(place, key)
        #expect(failure { try builder.build().set("x", forKey: "a") } != nil)
        #expect(try readFile(place) == key)
    }

    @Test("an older vault is told each time it is opened, until something is written")
    func witness() throws {
        try vault.store.create()
        try vault.store.set("first", forKey: "a")
        let old = try vault.bytes()
        try vault.store.set("second", forKey: "a")
        try vault.edit { $0 = old }
        for _ in 0..<3 {
            #expect(try vault.store.string(forKey: "a") == "first")
            #expect(try vault.store.verify()?.isRolledBack == true)
        }
        try vault.store.set("third", forKey: "a")
        #expect(try vault.store.verify()?.isRolledBack == false)
        #expect(try vault.store.string(forKey: "a") == "third")
    }

    @Test("the companion is private and has its room whatever the umask is")
    func umasks() throws {
        for mask in [0o000, 0o077, 0o277, 0o777] {
            let place = vault.builder.path(vault.directory + "/vault\(mask)")
            let before = umask(mode_t(mask))
            defer { umask(before) }
            try place.build().create()
            let attributes = try FileManager.default.attributesOfItem(
                atPath: vault.directory + "/vault\(mask).lock")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.size] as? Int == 4096)
        }
    }

    @Test("a directory behind a link that leads nowhere is out of reach, not absent")
    func dangling() throws {
        let link = vault.root + "/link"
        symlink(vault.root + "/nowhere", link)
        let store = vault.builder.path(link + "/deeper/credentials.vault").build()
        #expect(failure { try store.get("a") }?.category == .noStorageLocation)
        #expect(failure { try store.keys() }?.category == .noStorageLocation)
        let plain = vault.builder.path(vault.root + "/nowhere/credentials.vault").build()
        #expect(try plain.get("a") == nil)
    }
}

import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("Files that others could read, write or replace", .timeLimit(.minutes(5)))
struct PermissionTests {
    private static func expect(_ category: UnavailableCategory, of store: some TransactionalStorage, _ what: String) {
        #expect(failure { try store.get("name") }?.category == category, "\(what): get")
        #expect(failure { try store.readAll() }?.category == category, "\(what): readAll")
        #expect(failure { try store.keys() }?.category == category, "\(what): keys")
        #expect(failure { try store.set(Data([1]), forKey: "name") }?.category == category, "\(what): set")
        #expect(failure { try store.update { try $0.delete("name") } }?.category == category, "\(what): update")
    }

    @Test(
        "a vault that others may read loses entries and gives none, until its mode is put right",
        arguments: [0o644, 0o660, 0o604])
    func openMode(mode: Int) throws {
        let vault = try TestVault()
        let store = vault.store
        for name in ["name", "second", "third"] { try store.set("value", forKey: name) }
        chmod(vault.path, mode_t(mode))
        // Asked in this order, because a write looks at the mode at once and a read within 100 ms.
        #expect(failure { try store.set("x", forKey: "name") }?.category == .insecurePermissions)
        Self.expect(.insecurePermissions, of: store, "same object")
        Self.expect(.insecurePermissions, of: vault.store, "new object")
        #expect(failure { try vault.store.keySlots() }?.category == .insecurePermissions)
        #expect(failure { try store.compareAndSet("name", expected: nil, new: nil) }?.category == .insecurePermissions)
        #expect(try store.delete("second"))
        #expect(try vault.store.delete("third"))
        #expect(try !store.delete("never"))
        chmod(vault.path, 0o600)
        #expect(try store.keys() == ["name"])
        #expect(try store.string(forKey: "name") == "value")
        try store.set("new", forKey: "name")
        #expect(try vault.store.string(forKey: "name") == "new")
    }

    @Test("a vault or a directory of somebody else is refused, for removals too")
    func foreign() throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        for path in [vault.path, vault.directory, vault.companionPath] {
            let store = vault.builder.fileSystem(FaultyFileSystem(foreign: [path])).build()
            Self.expect(.insecurePermissions, of: store, path)
            #expect(failure { try store.delete("name") }?.category == .insecurePermissions)
        }
        #expect(try vault.store.string(forKey: "name") == "value")
    }

    @Test(
        "a directory that others may write to is refused, with a vault in it or none",
        arguments: [0o770, 0o707, 0o1777])
    func openDirectory(mode: Int) throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        chmod(vault.directory, mode_t(mode))
        Self.expect(.insecurePermissions, of: vault.store, "with a vault")
        #expect(failure { try vault.store.delete("name") }?.category == .insecurePermissions)
        let bytes = try vault.bytes()
        unlink(vault.path)
        Self.expect(.insecurePermissions, of: vault.store, "without a vault")
        chmod(vault.directory, 0o755)
        try writeFile(vault.path, bytes)
        #expect(try vault.store.string(forKey: "name") == "value")
    }

    @Test("a link in the vault's place is refused and what it leads to stays as it is")
    func links() throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        let elsewhere = vault.root + "/elsewhere"
        rename(vault.path, elsewhere)
        let content = try readFile(elsewhere)
        for target in [elsewhere, "/etc/passwd", vault.root + "/nothing"] {
            symlink(target, vault.path)
            Self.expect(.insecurePermissions, of: vault.store, target)
            #expect(failure { try vault.store.delete("name") }?.category == .insecurePermissions)
            #expect(failure { try vault.store.create() } == .writeError(cause: .conflict))
            unlink(vault.path)
        }
        #expect(try readFile(elsewhere) == content)
        #expect(access(vault.root + "/nothing", F_OK) != 0)
        #expect(vault.litter().isEmpty)
        // A link to the directory is fine.
        rename(elsewhere, vault.path)
        symlink(vault.directory, vault.root + "/link")
        #expect(
            try vault.builder.path(vault.root + "/link/credentials.vault").build().string(forKey: "name") == "value")
    }

    @Test("a directory, a FIFO or a socket in the vault's place is no store, and nobody hangs")
    func otherKinds() throws {
        let vault = try TestVault(isMade: false)
        try writeFile(vault.keyPath, [UInt8](repeating: 5, count: 32))
        let makers: [(String, () -> Void)] = [
            ("directory", { mkdir(vault.path, 0o700) }), ("FIFO", { mkfifo(vault.path, 0o600) }),
        ]
        for (what, make) in makers {
            make()
            let store = vault.store
            #expect(failure { try store.get("name") } == .readError(cause: .notAStore), "\(what)")
            #expect(failure { try store.set("x", forKey: "x") } == .writeError(cause: .notAStore), "\(what)")
            #expect(failure { try store.delete("x") } == .deleteError(cause: .notAStore), "\(what)")
            #expect(store.probe().reason?.cause == .notAStore, "\(what)")
            #expect(vault.litter().isEmpty)
            remove(vault.path)
        }
    }

    @Test("what is no vault is not called one when a vault is to be made, and what may be one is")
    func createOver() throws {
        let vault = try TestVault()
        let bytes = try vault.bytes()
        let store = vault.store
        func expect(_ cause: StorageError, _ what: String, _ make: () throws -> Void) throws {
            unlink(vault.path)
            rmdir(vault.path)
            try make()
            #expect(failure { try store.create() } == .writeError(cause: cause), "\(what)")
        }
        let path = vault.path
        try expect(.notAStore, "FIFO") { mkfifo(path, 0o600) }
        try expect(.notAStore, "directory") { mkdir(path, 0o700) }
        try expect(.notAStore, "empty") { try writeFile(path, []) }
        try expect(.notAStore, "text") { try writeFile(path, Array("not a vault".utf8)) }
        try expect(.notAStore, "zeros") { try writeFile(path, [UInt8](repeating: 0, count: 65536)) }
        try expect(.conflict, "a vault") { try writeFile(path, bytes) }
        try expect(.conflict, "a damaged one") { try writeFile(path, bytes.prefix(100) + [1] + bytes.dropFirst(101)) }
        try expect(.conflict, "the beginning of one") { try writeFile(path, Array(bytes.prefix(8))) }
        try expect(.conflict, "a link") { symlink("elsewhere", path) }
        try expect(.conflict, "an open one") {
            try writeFile(path, bytes)
            chmod(path, 0o644)
        }
        #expect(vault.litter().isEmpty)
    }

    @Test("a batch of more changes than a commit holds is not called too large a value, and changes nothing")
    func largeBatch() throws {
        let vault = try TestVault()
        let store = vault.quickStore
        try store.set("old", forKey: "name 0")
        let tooMany = failure {
            try store.update { batch in
                for index in 0...65536 { try batch.set(Data(), forKey: "name \(index)") }
            }
        }
        #expect(tooMany == .writeError(cause: .unsupported))
        #expect(try store.keys() == ["name 0"])
        #expect(try store.string(forKey: "name 0") == "old")
        let tooLong = failure {
            try store.update { batch in
                for index in 0..<64 { try batch.set(Data(count: 1 << 20), forKey: "name \(index)") }
            }
        }
        #expect(tooLong == .writeError(cause: .valueTooLarge(limit: 64 << 20)))
        #expect(try store.string(forKey: "name 0") == "old")
    }

    @Test("a link or a directory in the place of the companion or of the unfinished vault is no way in")
    func otherFiles() throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        let target = vault.root + "/target"
        try writeFile(target, [1, 2, 3])
        unlink(vault.companionPath)
        symlink(target, vault.companionPath)
        Self.expect(.insecurePermissions, of: vault.store, "companion")
        unlink(vault.companionPath)
        unlink(vault.path)
        symlink(target, vault.path + ".new")
        #expect(failure { try vault.store.set("x", forKey: "x") }?.category == .insecurePermissions)
        #expect(try readFile(target) == [1, 2, 3])
    }

    @Test("files and directories that are made are private whatever the umask")
    func modes() throws {
        let vault = try TestVault(isMade: false)
        let path = vault.root + "/deep/er/credentials.vault"
        let old = umask(0)
        defer { umask(old) }
        try vault.builder.path(path).build().create()
        var status = stat()
        for (name, mode) in [
            ("/deep", 0o700), ("/deep/er", 0o700), ("/deep/er/credentials.vault", 0o600),
            ("/deep/er/credentials.vault.lock", 0o600), ("/vault.key", 0o600),
        ] {
            #expect(stat(vault.root + name, &status) == 0)
            #expect(status.st_mode & 0o7777 == mode_t(mode), "\(name)")
        }
    }

    @Test("names and values at their limits are kept, beyond them refused, and nothing else changes")
    func limits() throws {
        let vault = try TestVault()
        let store = vault.builder.valueLimit(1000).build()
        try store.set("value", forKey: "name")
        let before = try vault.bytes()
        #expect(
            failure { try store.set(Data(count: 1001), forKey: "x") } == .writeError(cause: .valueTooLarge(limit: 1000))
        )
        #expect(
            failure {
                try store.update {
                    try $0.set(Data([1]), forKey: "a"); try $0.set(Data(count: 1001), forKey: "b")
                }
            }
                == .writeError(cause: .valueTooLarge(limit: 1000)))
        for name in ["", "a\0b", String(repeating: "x", count: 1025)] {
            #expect(failure { try store.get(name) } == .readError(cause: .invalidEntryKey))
            #expect(failure { try store.set("x", forKey: name) } == .writeError(cause: .invalidEntryKey))
            #expect(failure { try store.delete(name) } == .deleteError(cause: .invalidEntryKey))
            #expect(failure { try store.acquireLock(name, timeout: .zero) } == .readError(cause: .invalidEntryKey))
        }
        #expect(try vault.bytes() == before)
        let names = [
            "a\nb", "../x", "/", "..", " ", "\u{E9}", "e\u{301}", String(repeating: "x", count: 1024), "\u{1F511}",
        ]
        for (index, name) in names.enumerated() { try store.set(Data(count: index), forKey: name) }
        try store.set(Data(count: 1000), forKey: "full")
        let reader = vault.store
        for (index, name) in names.enumerated() { #expect(try reader.get(name)?.count == index) }
        #expect(try reader.get("full")?.count == 1000)
        #expect(try reader.keys().count == names.count + 2)
        #expect(try reader.readAll().entries.count == names.count + 2)
        #expect(vault.litter().isEmpty)
    }

    @Test("the largest value of the format is kept, and one byte more is not")
    func largest() throws {
        let vault = try TestVault()
        let store = vault.builder.valueLimit(.max).build()
        let value = Data((0..<(1 << 24)).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try store.set(value, forKey: "name")
        #expect(try vault.store.get("name") == value)
        #expect(
            failure { try store.set(value + [1], forKey: "name") } == .writeError(cause: .valueTooLarge(limit: 1 << 24))
        )
        #expect(failure { try vault.store.set(Data(count: 1 << 20 + 1), forKey: "x") } != nil)
    }
}

import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("Key sources of a vault", .timeLimit(.minutes(5)))
struct KeySourceTests {
    /// Every public door answers the same, and nothing on the disk changes.
    static func expect(
        _ cause: (StorageOperation) -> StorageError,
        of builder: StorageBuilder.EncryptedFile,
        _ vault: TestVault,
        _ what: String
    ) throws {
        let before = try vault.bytes()
        let store = builder.build()
        #expect(failure { try store.get("name") } == .readError(cause: cause(.read)), "\(what)")
        #expect(failure { try store.get("never") } == .readError(cause: cause(.read)), "\(what)")
        #expect(failure { try store.readAll() } == .readError(cause: cause(.read)), "\(what)")
        #expect(failure { try store.keys() } == .readError(cause: cause(.read)), "\(what)")
        #expect(failure { try store.set("x", forKey: "name") } == .writeError(cause: cause(.write)), "\(what)")
        #expect(failure { try store.delete("name") } == .deleteError(cause: cause(.delete)), "\(what)")
        #expect(failure { try store.deleteAll() } == .deleteError(cause: cause(.delete)), "\(what)")
        #expect(failure { try store.update { try $0.delete("name") } } == .writeError(cause: cause(.write)), "\(what)")
        #expect(
            failure { try store.compareAndSet("name", expected: nil, new: Data()) }
                == .writeError(cause: cause(.write)), "\(what)")
        #expect(failure { try store.verify() } == .readError(cause: cause(.read)), "\(what)")
        #expect(try vault.bytes() == before, "\(what)")
        #expect(vault.litter().isEmpty, "\(what)")
    }

    static func unavailable(
        _ category: UnavailableCategory,
        _ code: StatusCode = .none
    ) -> (StorageOperation) -> StorageError {
        { .unavailable(operation: $0, category: category, code: code) }
    }

    @Test("a wrong passphrase is the wrong key, whatever is asked, and the right one still opens")
    func wrongPassphrase() throws {
        let vault = try TestVault(isMade: false)
        let builder = StorageBuilder.EncryptedFile(service: "test").path(vault.path).keyDerivation(.floor).log(.silent)
        let right = builder.keySource(.passphrase { "correct" })
        try right.build().set("value", forKey: "name")
        try Self.expect({ _ in .wrongKey }, of: builder.keySource(.passphrase { "wrong" }), vault, "passphrase")
        try Self.expect(
            Self.unavailable(.keySourceUnavailable), of: builder.keySource(.passphrase { "" }), vault, "empty")
        struct Refusal: Error {}
        try Self.expect(
            Self.unavailable(.keySourceUnavailable),
            of: builder.keySource(.passphrase { throw Refusal() }), vault, "refused")
        #expect(try right.build().string(forKey: "name") == "value")
    }

    @Test("a passphrase is stretched once for the two copies of a header, and again for a copy that differs")
    func stretchedOnce() throws {
        let vault = try TestVault(isMade: false)
        let builder = StorageBuilder.EncryptedFile(service: "test").path(vault.path).keyDerivation(.floor).log(.silent)
        try builder.keySource(.passphrase { "correct" }).build().set("value", forKey: "name")
        func stretched(_ passphrase: String) -> Int {
            let recorded = RecordedLog()
            let store = builder.log(recorded.log).keySource(.passphrase { passphrase }).build()
            _ = try? store.get("name")
            return recorded.messages.count { $0.hasPrefix("a passphrase is stretched") }
        }
        #expect(stretched("correct") == 1)
        #expect(stretched("wrong") == 1)
        // Another salt in one copy.
        try vault.editHeaders(copies: [1]) { $0[160 + 16] ^= 1 }
        #expect(stretched("wrong") == 2)
        #expect(stretched("correct") == 1)
    }

    @Test("a passphrase is asked once for each opening, on several threads too")
    func askedOnce() throws {
        let vault = try TestVault(isMade: false)
        let asked = Locked(0)
        let builder = StorageBuilder.EncryptedFile(service: "test").path(vault.path).keyDerivation(.floor).log(.silent)
            .keySource(
                .passphrase { () -> String in
                    asked.withLock { $0 += 1 }
                    return "correct"
                })
        try builder.build().set("value", forKey: "name")
        asked.withLock { $0 = 0 }
        let store = builder.build()
        try onThreads(6) { _ in _ = try store.get("name") }
        #expect(asked.withLock { $0 } == 1)
        try store.set("second", forKey: "name")
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("a key file that is missing, too short, too long, open to others, a link or a directory is told apart")
    func keyFiles() throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        let key = try readFile(vault.keyPath)
        let path = vault.root + "/other.key"
        let builder = vault.builder.keySource(.keyFile(path))
        let missing = Self.unavailable(.keySourceMissing, .errno(ENOENT))
        try Self.expect(missing, of: builder, vault, "missing")
        for count in [0, 31, 33] {
            try writeFile(path, Array((key + key).prefix(count)), replacing: true)
            try Self.expect(Self.unavailable(.keySourceUnavailable), of: builder, vault, "\(count) bytes")
        }
        try writeFile(path, key.map { $0 ^ 1 }, replacing: true)
        try Self.expect({ _ in .wrongKey }, of: builder, vault, "wrong")
        try writeFile(path, key, replacing: true)
        for mode: mode_t in [0o644, 0o640, 0o602] {
            chmod(path, mode)
            try Self.expect(Self.unavailable(.insecurePermissions), of: builder, vault, "mode \(mode)")
        }
        chmod(path, 0o600)
        #expect(try builder.build().string(forKey: "name") == "value")
        let foreign = builder.fileSystem(FaultyFileSystem(foreign: [path]))
        try Self.expect(Self.unavailable(.insecurePermissions), of: foreign, vault, "foreign")
        unlink(path)
        symlink(vault.keyPath, path)
        try Self.expect(Self.unavailable(.insecurePermissions, .errno(ELOOP)), of: builder, vault, "link")
        unlink(path)
        mkdir(path, 0o700)
        try Self.expect(Self.unavailable(.keySourceUnavailable), of: builder, vault, "directory")
        rmdir(path)
        mkfifo(path, 0o600)
        try Self.expect(Self.unavailable(.keySourceUnavailable), of: builder, vault, "FIFO")
        try Self.expect(
            Self.unavailable(.keySourceUnavailable, .errno(ENOTDIR)),
            of: vault.builder.keySource(.keyFile(path + "/x")),
            vault, "below a file")
    }

    @Test(
        "a first write makes the default key and never a named one; create makes both, and no key for a vault that is there"
    )
    func making() throws {
        let vault = try TestVault(isMade: false)
        #expect(failure { try vault.store.set("x", forKey: "x") }?.category == .keySourceMissing)
        #expect(try FileManager.default.contentsOfDirectory(atPath: vault.directory).isEmpty)
        #expect(try vault.store.get("x") == nil)
        try vault.store.create()
        #expect(try readFile(vault.keyPath).count == 32)
        #expect(failure { try vault.store.create() } == .writeError(cause: .conflict))
        unlink(vault.keyPath)
        #expect(failure { try vault.store.create() } == .writeError(cause: .conflict))
        #expect(access(vault.keyPath, F_OK) != 0)

        let root = vault.root
        let environment = Environment { ["HOME": root, "XDG_CONFIG_HOME": root + "/config"][$0] }
        let standard = StorageBuilder.EncryptedFile(service: "test").environment(environment).log(.silent)
        #expect(try standard.build().get("x") == nil)
        try standard.build().set("x", forKey: "x")
        #expect(try readFile(root + "/config/test/vault.key").count == 32)
        var status = stat()
        #expect(stat(root + "/config/test/vault.key", &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(root + "/config/test", &status) == 0 && status.st_mode & 0o777 == 0o700)
        unlink(root + "/config/test/vault.key")
        #expect(failure { try standard.build().set("y", forKey: "y") }?.category == .keySourceMissing)
        #expect(access(root + "/config/test/vault.key", F_OK) != 0)
    }

    @Test("the default key is never beside the vault, be it there or to be made; a named one may be")
    func besideTheVault() throws {
        let vault = try TestVault()
        let root = vault.root
        let environment = Environment { ["HOME": root, "XDG_CONFIG_HOME": root][$0] }
        let standard = StorageBuilder.EncryptedFile(service: "data").path(vault.path).environment(environment)
            .log(.silent)
        let key = vault.directory + "/vault.key"
        for isThere in [false, true] {
            if isThere { try writeFile(key, try readFile(vault.keyPath)) }
            #expect(failure { try standard.build().get("x") }?.category == .keySourceUnavailable)
            #expect(failure { try standard.build().set("x", forKey: "x") }?.category == .keySourceUnavailable)
            #expect(failure { try standard.build().reset() }?.category == .keySourceUnavailable)
            #expect(vault.litter() == (isThere ? ["vault.key"] : []))
        }
        try standard.keySource(.keyFile(key)).build().set("x", forKey: "x")
        #expect(try vault.store.string(forKey: "x") == "x")
    }

    @Test("a passphrase below the floor or above the limits makes no vault")
    func weak() throws {
        let vault = try TestVault(isMade: false)
        for (passes, kibibytes) in [(1, 19456), (2, 19455), (0, 0), (11, 19456), (2, 1 << 21)] {
            let store = StorageBuilder.EncryptedFile(service: "test").path(vault.path).log(.silent)
                .keyDerivation(Argon2Parameters(passes: passes, kibibytes: kibibytes))
                .keySource(.passphrase { "correct" }).build()
            #expect(failure { try store.set("x", forKey: "x") } == .writeError(cause: .parametersOutOfRange))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: vault.directory).isEmpty)
    }

    @Test("what a passphrase callback throws keeps its kind and loses its text")
    func callbacks() throws {
        struct Trouble: Error {}
        let vault = try TestVault(isMade: false)
        let kinds: [(any Error, UnavailableCategory)] = [
            (Trouble(), .keySourceUnavailable), (CancellationError(), .cancelled),
            (StorageError.readError(cause: .unavailable(operation: .read, category: .locked, code: .none)), .locked),
        ]
        for (error, category) in kinds {
            let store = StorageBuilder.EncryptedFile(service: "test").path(vault.path).log(.silent)
                .keySource(.passphrase { () throws -> String in throw error }).build()
            #expect(failure { try store.set("x", forKey: "x") }?.category == category)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: vault.directory).isEmpty)
    }
}

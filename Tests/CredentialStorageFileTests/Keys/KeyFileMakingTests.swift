import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("Making a key file", .timeLimit(.minutes(10)))
struct KeyFileMakingTests {
    /// A disk that knows files without a name, or one that does not.
    private static func disk(
        namesFiles: Bool,
        _ decide: @escaping @Sendable (_ number: Int, _ call: DiskCall) -> Void = { _, _ in }
    ) -> FaultyFileSystem {
        FaultyFileSystem { number, call in
            decide(number, call)
            return namesFiles && call == .openUnnamed ? .fails(EOPNOTSUPP) : nil
        }
    }

    /// What stands beside the key, apart from the vault's directory.
    private static func neighbours(_ vault: TestVault) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: vault.root).filter { $0 != "data" }.sorted()
    }

    @Test(
        "a maker that is killed at any call leaves a whole key or none, and the next one leaves nothing else",
        arguments: [false, true])
    func kills(namesFiles: Bool) async throws {
        let counted = Locked(0)
        let whole = try TestVault(isMade: false)
        try whole.builder.fileSystem(
            Self.disk(namesFiles: namesFiles) { number, _ in counted.withLock { $0 = number } }
        )
        .build().create()
        let calls = counted.withLock { $0 }
        #expect(calls > 10)
        for target in 1...calls {
            let vault = try TestVault(isMade: false)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = vault.path as String, keyPath = vault.keyPath as String, target = target as Int,
                    namesFiles = namesFiles as Bool
                ] in
                let disk = Self.disk(namesFiles: namesFiles) { number, call in
                    if call.isChange, number == target { kill(getpid(), SIGKILL) }
                }
                try StorageBuilder.EncryptedFile(service: "test").path(path).keySource(.keyFile(keyPath))
                    .fileSystem(disk).log(.silent).build().create()
            }
            try Self.checkRest(of: vault, namesFiles, "killed at call \(target)")
        }
    }

    /// What a killed maker left, and that the next one does its work and leaves nothing else.
    private static func checkRest(of vault: TestVault, _ namesFiles: Bool, _ what: String) throws {
        let left = try neighbours(vault)
        let allowed = namesFiles ? [[], ["vault.key"], ["vault.key.new"]] : [[], ["vault.key"]]
        #expect(allowed.contains(left), "\(what): \(left)")
        if left.contains("vault.key") { #expect(try readFile(vault.keyPath).count == 32, "\(what)") }
        let next = vault.builder.fileSystem(disk(namesFiles: namesFiles)).build()
        let error = failure { try next.create() }
        #expect(error == nil || error?.cause == .conflict, "\(what)")
        try next.set("value", forKey: "name")
        #expect(try vault.store.string(forKey: "name") == "value", "\(what)")
        #expect(try neighbours(vault) == ["vault.key"], "\(what)")
        #expect(vault.litter().isEmpty, "\(what)")
    }

    @Test(
        "makers at once agree on one key, on a disk that knows no files without a name too", arguments: [false, true])
    func several(namesFiles: Bool) throws {
        let vault = try TestVault(isMade: false)
        let won = Locked(0)
        try onThreads(8) { index in
            let store = vault.builder.fileSystem(Self.disk(namesFiles: namesFiles)).build()
            if let error = failure({ try store.create() }) {
                #expect(error == .writeError(cause: .conflict))
            } else {
                won.withLock { $0 += 1 }
            }
            try store.set("value", forKey: "name \(index)")
        }
        #expect(won.withLock { $0 } == 1)
        #expect(try vault.store.keys().count == 8)
        #expect(try Self.neighbours(vault) == ["vault.key"])
    }

    @Test("what somebody else has under the name of a key in the making stays, and no key is made")
    func somebodyElses() throws {
        let vault = try TestVault(isMade: false)
        let store = vault.builder.fileSystem(Self.disk(namesFiles: true)).build()
        let content = [UInt8](repeating: 7, count: 33)
        try writeFile(vault.keyPath + ".new", content)
        #expect(failure { try store.create() }?.category == .keySourceUnavailable)
        #expect(try readFile(vault.keyPath + ".new") == content)
        unlink(vault.keyPath + ".new")
        mkdir(vault.keyPath + ".new", 0o700)
        #expect(failure { try store.create() }?.category == .keySourceUnavailable)
        #expect(try Self.neighbours(vault) == ["vault.key.new"])
    }

    @Test("a key in a directory that others can write to is neither read nor made; a sticky one is as good as an own")
    func openDirectory() throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        let folder = vault.root + "/keys"
        mkdir(folder, 0o700)
        try writeFile(folder + "/vault.key", try readFile(vault.keyPath))
        let builder = vault.builder.keySource(.keyFile(folder + "/vault.key"))
        let fresh = StorageBuilder.EncryptedFile(service: "test").path(vault.root + "/data/fresh.vault").log(.silent)
            .keySource(.keyFile(folder + "/fresh.key"))
        for mode: mode_t in [0o777, 0o770, 0o702] {
            chmod(folder, mode)
            #expect(failure { try builder.build().get("name") }?.category == .insecurePermissions, "mode \(mode)")
            #expect(failure { try builder.build().set("x", forKey: "x") }?.category == .insecurePermissions)
            #expect(failure { try fresh.build().create() }?.category == .insecurePermissions)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["vault.key"])
        for mode: mode_t in [0o1777, 0o755, 0o700] {
            chmod(folder, mode)
            #expect(try builder.build().string(forKey: "name") == "value", "mode \(mode)")
        }
        chmod(folder, 0o700)
        let foreign = builder.fileSystem(FaultyFileSystem(foreign: [folder])).build()
        #expect(failure { try foreign.get("name") }?.category == .insecurePermissions)
    }
}

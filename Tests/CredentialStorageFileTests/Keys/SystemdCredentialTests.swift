import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("A systemd credential as the key", .timeLimit(.minutes(5)))
struct SystemdCredentialTests {
    private let vault: TestVault
    private let directory: String
    private var file: String { directory + "/vault-key" }
    private let secret = Array(Data((0..<32).map { UInt8($0 * 7) }).base64EncodedString().utf8) + [10]

    init() throws {
        vault = try TestVault(isMade: false)
        directory = vault.root + "/credentials"
        mkdir(directory, 0o700)
        try writeFile(file, secret)
    }

    private func builder(_ variable: String?, name: String = "vault-key") -> StorageBuilder.EncryptedFile {
        let variables = ["HOME": vault.root, "CREDENTIALS_DIRECTORY": variable]
        return StorageBuilder.EncryptedFile(service: "test").path(vault.path).log(.silent)
            .environment(Environment { variables[$0] ?? nil })
            .keySource(.systemdCredential(name))
    }

    private func expect(
        _ category: UnavailableCategory, _ code: StatusCode = .none, _ builder: StorageBuilder.EncryptedFile,
        _ what: String
    ) throws {
        try KeySourceTests.expect(KeySourceTests.unavailable(category, code), of: builder, vault, what)
    }

    @Test("its bytes count exactly as they are, from 32 bytes to 1 MiB")
    func exactBytes() throws {
        for content in [secret, Array(secret.prefix(32)), [UInt8](repeating: 7, count: 1 << 20)] {
            let place = try SystemdCredentialTests()
            try writeFile(place.file, content, replacing: true)
            try place.builder(place.directory).build().set("value", forKey: "name")
            let open = place.builder(place.directory)
            #expect(try open.build().string(forKey: "name") == "value")
            #expect(try open.build().protection.source == .systemdCredential)
            #expect(try open.build().protection.durability == .durable)
            for other in [content.dropLast() + [content[content.count - 1] ^ 1], content.prefix(31) + [0xFF]] {
                try writeFile(place.file, Array(other), replacing: true)
                try KeySourceTests.expect({ _ in .wrongKey }, of: open, place.vault, "\(other.count) bytes")
            }
        }
        // With and without the newline at its end it is two different keys.
        try builder(directory).build().set("value", forKey: "name")
        try writeFile(file, secret.dropLast(), replacing: true)
        try KeySourceTests.expect({ _ in .wrongKey }, of: builder(directory), vault, "without the newline")
        try writeFile(file, secret + [10], replacing: true)
        try KeySourceTests.expect({ _ in .wrongKey }, of: builder(directory), vault, "with two newlines")
    }

    @Test("a variable that is unset, empty, relative or leads nowhere is told apart, and nothing else is tried")
    func variable() throws {
        // Another key that would open the vault, in the place where a store looks by itself.
        try builder(directory).build().set("value", forKey: "name")
        try builder(directory).build().addKey(.defaultKeyFile)
        try expect(.keySourceMissing, .none, builder(nil), "unset")
        try expect(.keySourceMissing, .none, builder(""), "empty")
        try expect(.keySourceUnavailable, .none, builder("credentials"), "relative")
        try expect(.keySourceUnavailable, .none, builder("./credentials"), "relative to here")
        try expect(.keySourceUnavailable, .errno(ENOENT), builder(vault.root + "/nowhere"), "nowhere")
        try expect(.keySourceUnavailable, .errno(ENOTDIR), builder(file), "a file")
        for name in ["", ".", "..", "a/b", "../credentials/vault-key", "nul\u{0}"] {
            try expect(.keySourceUnavailable, .none, builder(directory, name: name), "the name \(name)")
        }
        #expect(try builder(directory).keySource(.defaultKeyFile).build().string(forKey: "name") == "value")
    }

    @Test("a file that is absent, empty, short, long, unreadable, open to others, a link or no file is told apart")
    func files() throws {
        try builder(directory).build().set("value", forKey: "name")
        let builder = builder(directory)
        unlink(file)
        try expect(.keySourceMissing, .errno(ENOENT), builder, "absent")
        try writeFile(file, [])
        try expect(.keySourceUnavailable, .errno(ENODATA), builder, "empty")
        try writeFile(file, Array(secret.prefix(31)), replacing: true)
        try expect(.keySourceUnavailable, .none, builder, "31 bytes")
        try writeFile(file, [UInt8](repeating: 7, count: 1 << 20 | 1), replacing: true)
        try expect(.keySourceUnavailable, .errno(EFBIG), builder, "over 1 MiB")
        try writeFile(file, secret, replacing: true)
        let path = file
        for (number, category) in [(EACCES, UnavailableCategory.accessDenied), (EIO, .ioError)] {
            let disk = FaultyFileSystem { _, call in call == .open(path, .read) ? .fails(number) : nil }
            try expect(category, .errno(number), builder.fileSystem(disk), "errno \(number)")
        }
        for mode: mode_t in [0o604, 0o620, 0o644] {
            chmod(file, mode)
            try expect(.insecurePermissions, .none, builder, "mode \(mode)")
        }
        try expect(
            .insecurePermissions, .none, builder.fileSystem(FaultyFileSystem(foreign: [file])), "foreign")
        chmod(directory, 0o722)
        chmod(file, 0o400)
        try expect(.insecurePermissions, .none, builder, "a directory that others can write to")
        chmod(directory, 0o500)
        chmod(file, 0o440)
        #expect(try builder.build().string(forKey: "name") == "value")
        chmod(directory, 0o700)
        rename(file, vault.root + "/elsewhere")
        symlink(vault.root + "/elsewhere", file)
        try expect(.insecurePermissions, .errno(ELOOP), builder, "link")
        unlink(file)
        mkdir(file, 0o700)
        try expect(.keySourceUnavailable, .none, builder, "directory")
        rmdir(file)
        mkfifo(file, 0o600)
        try expect(.keySourceUnavailable, .none, builder, "FIFO")
    }

    @Test("a first start without its credential makes neither a key nor a vault")
    func firstStart() throws {
        unlink(file)
        for (variable, category) in [
            (nil, UnavailableCategory.keySourceMissing), ("relative", .keySourceUnavailable),
            (directory, .keySourceMissing), (vault.root + "/nowhere", .keySourceUnavailable),
        ] {
            let store = builder(variable).build()
            #expect(failure { try store.set("value", forKey: "name") }?.category == category)
            #expect(failure { try store.create() }?.category == category)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: vault.directory).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        #expect(access(vault.root + "/.config", F_OK) != 0)
    }

    @Test(
        "what systemd-creds encrypted and decrypted opens the vault",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-creds"), "no systemd-creds here"))
    func realTool() throws {
        try builder(directory).build().set("value", forKey: "name")
        let sealed = vault.root + "/sealed"
        try run(["encrypt", "--with-key=tpm2-absent", "--name=vault-key", file, sealed])
        unlink(file)
        try run(["decrypt", "--name=vault-key", sealed, file])
        // As systemd hands it over.
        chmod(file, 0o400)
        #expect(try readFile(sealed).count > secret.count)
        #expect(try builder(directory).build().string(forKey: "name") == "value")
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/systemd-creds")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}

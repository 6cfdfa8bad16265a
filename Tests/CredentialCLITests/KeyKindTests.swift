import CTestFork
import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import FoundationEssentials
import Glibc
import SecretServiceTestSupport
import Testing

@Suite("Kinds of keys on the command line", .timeLimit(.minutes(5)))
struct KeyKindTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// A credentials directory as systemd makes it.
    private func credentials(_ content: [UInt8], mode: mode_t = 0o400) throws -> [String: String?] {
        let directory = sandbox.path("credentials")
        unsafe mkdir(directory, 0o700)
        unsafe unlink(directory + "/vault-key")
        try write(content, toFile: directory + "/vault-key", mode: mode)
        return ["CREDENTIALS_DIRECTORY": directory]
    }

    @Test("a credential opens, is added and rotated with, and its troubles have their exit codes")
    func credential() throws {
        let options = ["--systemd-credential", "vault-key"]
        func run(_ words: [String], _ environment: [String: String?], input: [UInt8]? = nil) throws -> Outcome {
            try sandbox.run(raw: (options + words).map { Array($0.utf8) }, input: input, environment: environment)
        }
        // A first start without it makes nothing, no default key file either.
        let none = try run(["--json", "set", "a"], [:], input: [1])
        #expect(none.exit == 5 && none.error == errorJSON("unavailable", "keySourceMissing", exit: 5))
        #expect(try sandbox.snapshot().isEmpty)
        let environment = try credentials(Array(repeating: 7, count: 40))
        #expect(try run(["set", "a"], environment, input: [1]).exit == 0)
        #expect(try run(["get", "a"], environment).out == [1])
        #expect(try run(["key", "list"], environment).text == "1  systemd-credential\n")
        let report = try run(["doctor"], environment).text
        #expect(report.contains("key source: systemd-credential") && report.contains("credentials/vault-key (exists)"))
        #expect(try run(["get", "a"], ["CREDENTIALS_DIRECTORY": "credentials"]).exit == 5)
        #expect(try run(["get", "a"], try credentials([])).exit == 5)
        #expect(try run(["get", "a"], try credentials(Array(repeating: 7, count: 40), mode: 0o644)).exit == 6)
        #expect(try run(["get", "a"], try credentials(Array(repeating: 7, count: 41))).exit == 8)
        #expect(try sandbox.run("get", "a").exit == 5)

        let key = sandbox.path("second.key")
        let again = try credentials(Array(repeating: 7, count: 40))
        #expect(try run(["key", "add", "key-file", key], again).text == "2  key-file\n")
        let rotated = try sandbox.run(
            "--key-file", key, "key", "rotate", "--master", "systemd-credential", "vault-key", environment: again)
        #expect(rotated.exit == 0)
        #expect(try run(["get", "a"], again).out == [1])
        let wrong = try sandbox.run("--kernel-keyring", "get", "a")
        #expect(wrong.exit == 5 || wrong.exit == 8)
        expectOneSentence(wrong)
        let absent = try run(["get", "a"], [:])
        #expect(absent.error.hasPrefix("credstore: There is no such credential"))
        expectOneSentence(absent)
    }

    @Test("a credential that this user may not read is denied")
    func unreadable() throws {
        let sandbox = try Sandbox(asOrdinaryUser: true)
        let directory = sandbox.path("credentials")
        unsafe mkdir(directory, 0o700)
        try sandbox.give(directory)
        try write(Array(repeating: 7, count: 32), toFile: directory + "/vault-key", mode: 0o000)
        try sandbox.give(directory + "/vault-key")
        let outcome = try sandbox.run(
            "--systemd-credential", "vault-key", "set", "a", input: [1],
            environment: ["CREDENTIALS_DIRECTORY": directory])
        #expect(outcome.exit == 6)
        expectOneSentence(outcome, without: "vault-key", directory)
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("a key in the kernel's memory is made by the first write, and not again when it is gone")
    func kernelKeyring() throws {
        let service = "test-\(UUID().uuidString)"
        let name = "swift-credential-storage:user:\(service)"
        defer { ctf_forget_key(-4, name) }
        let options = ["--service", service, "--kernel-keyring"]
        func run(_ words: String..., input: [UInt8]? = nil) throws -> Outcome {
            try sandbox.run(raw: (options + words).map { Array($0.utf8) }, input: input)
        }
        let isForbidden = ctf_forget_key(-4, name) != 0 && errno != ENOKEY
        guard !isForbidden else {
            #expect(try run("set", "a", input: [1]).exit == 5)
            #expect(try sandbox.snapshot().isEmpty)
            return
        }
        // First starts at once agree on one key.
        let names = ["a", "b", "c", "d"]
        let writers = names.map { "printf '\\001' | \"$credstore\" \(options.joined(separator: " ")) set \($0) &" }
        try sandbox.shell(writers.joined(separator: " ") + " wait")
        #expect(try run("list").text == "a\nb\nc\nd\n")
        for entry in names { #expect(try run("get", entry).out == [1]) }
        let report = try run("doctor").text
        #expect(report.contains("key source: kernel-keyring") && report.contains("entries: volatile"))
        #expect(report.contains("key: the kernel's memory"))
        #expect(try run("key", "add", "key-file", sandbox.path("second.key")).text == "2  key-file\n")
        #expect(ctf_forget_key(-4, name) == 0)
        let gone = try run("--json", "get", "a")
        #expect(gone.exit == 5 && gone.error == errorJSON("unavailable", "keySourceMissing", exit: 5))
        let refused = try run("set", "a", input: [2])
        #expect(refused.exit == 5 && refused.error.hasPrefix("credstore: The key is no longer in the kernel's memory"))
        expectOneSentence(refused)
        let second = ["--service", service, "--key-file", sandbox.path("second.key")]
        let changed = try sandbox.run(raw: (second + ["key", "change", "1", "kernel-keyring"]).map { Array($0.utf8) })
        #expect(changed.text == "1  kernel-keyring\n")
        #expect(try run("get", "a").out == [1])
    }

    @Test("machine binds the key that opens the vault now, and the vault when the other slot goes")
    func machine() throws {
        guard unsafe access("/etc/machine-id", R_OK) == 0 else {
            try sandbox.run("set", "a", input: [1])
            #expect(try sandbox.run("key", "add", "machine").exit == 5)
            return
        }
        try sandbox.run("set", "a", input: [1])
        #expect(try sandbox.run("key", "add", "machine").text == "2  key-file, on this machine only\n")
        #expect(try sandbox.run("doctor").text.contains("bound to this machine by: none"))
        #expect(try sandbox.run("key", "remove", "1").exit == 0)
        #expect(try sandbox.run("get", "a").out == [1])
        #expect(try sandbox.run("doctor").text.contains("bound to this machine by: machineID"))
        // The same under another machine's id.
        try write(Array("0123456789abcdef0123456789abcdef\n".utf8), toFile: sandbox.path("machine-id"))
        let elsewhere = StorageBuilder.EncryptedFile(service: "credstore").path(sandbox.vault)
            .keySource(.keyFile(sandbox.keyFile)).machineID(at: sandbox.path("machine-id")).log(.silent).build()
        let error = #expect(throws: StorageError.self) { try elsewhere.get("a") }
        #expect(error?.category == .keySourceUnavailable)
    }

    #if SecretService
        private func environment(_ bus: PrivateBus) -> [String: String?] {
            bus.variables.filter { $0.key != "PATH" && $0.key != "HOME" }.mapValues { $0 }
        }

        @Test("an entry of the keyring opens a vault, is added to one and rotated with; a locked keyring makes nothing")
        func entry() throws {
            let provider = try GnomeKeyring()
            func run(_ words: String..., input: [UInt8]? = nil) throws -> Outcome {
                try sandbox.run(
                    raw: words.map { Array($0.utf8) }, input: input, environment: environment(provider.bus))
            }
            let vault = provider.bus.dataHome + "/credstore/credentials.vault"
            try provider.lockDefault()
            let locked = try run("--entry-from", "secret-service", "--json", "set", "a", input: [1])
            #expect(locked.exit == 4 && locked.error == errorJSON("unavailable", "locked", exit: 4))
            #expect(unsafe access(vault, F_OK) != 0)
            try provider.unlockDefault()
            // First starts at once agree on one key.
            let writers = ["a", "b", "c"].map {
                "printf '\\001' | \"$credstore\" --entry-from secret-service set \($0) &"
            }
            try sandbox.shell(writers.joined(separator: " ") + " wait", environment: environment(provider.bus))
            #expect(try run("--entry-from", "secret-service", "list").text == "a\nb\nc\n")
            #expect(try run("--entry-from", "secret-service", "get", "a").out == [1])
            #expect(try run("--backend", "secret-service", "list").text == "vault-key\n")
            #expect(try run("key", "list").text == "1  entry\n")
            // The slots tell where the key is, without an option too; a key file is not it.
            #expect(try run("get", "a").out == [1])
            #expect(try run("--backend", "file", "get", "a").exit == 5)
            let report = try run("--entry-from", "secret-service", "doctor").text
            #expect(report.contains("key source: entry"))
            #expect(report.contains("key: the entry vault-key of secret-service"))

            let key = sandbox.path("second.key")
            #expect(try run("--entry-from", "secret-service", "key", "add", "key-file", key).exit == 0)
            #expect(try run("--key-file", key, "key", "remove", "1").exit == 0)
            #expect(try run("--entry-from", "secret-service", "get", "a").exit == 8)
            #expect(
                try run("--key-file", key, "key", "add", "entry", "--from", "secret-service").text == "3  entry\n")
            #expect(try run("--key-file", key, "key", "rotate", "--master", "entry", "secret-service").exit == 0)
            #expect(try run("--entry-from", "secret-service", "get", "a").out == [1])
            try provider.lockDefault()
            #expect(try run("--entry-from", "secret-service", "get", "a").exit == 4)
            #expect(try run("--key-file", key, "get", "a").out == [1])
        }
    #endif
}

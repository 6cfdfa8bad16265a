import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Glibc
import Testing

/// What the tool says where the table's sentence would lead astray.
@Suite(.timeLimit(.minutes(5)))
struct SentenceTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.run("set", "a", input: [1])
    }

    private func expect(_ outcome: Outcome, _ exit: Int32, _ beginning: String) {
        #expect(outcome.exit == exit && outcome.error.hasPrefix("credstore: \(beginning)"), "\(outcome.error)")
        expectOneSentence(outcome)
    }

    private func file(_ name: String, _ text: String) throws -> String {
        try write(Array(text.utf8), toFile: sandbox.path(name))
        return sandbox.path(name)
    }

    @Test("what stands at the companion's name is named by every command, and by doctor")
    func companion() throws {
        let lock = sandbox.vault + ".lock"
        unsafe unlink(lock)
        try write(Array("1234\n".utf8), toFile: lock)
        let sentence = "Something that is not the vault's stands under its name with .lock appended"
        for words in [
            ["get", "a"], ["list"], ["delete", "a"], ["verify"], ["repair", "--yes"], ["reset", "--yes"],
            ["key", "rotate"], ["key", "remove", "1"],
        ] {
            let outcome = try sandbox.run(raw: words.map { Array($0.utf8) })
            expect(outcome, 10, sentence)
        }
        expect(try sandbox.run("set", "a", input: [2]), 10, sentence)
        let report = try sandbox.run("doctor").text
        #expect(report.contains("file: not usable (conflict): \(sentence)"))
        #expect(try bytes(ofFile: lock) == Array("1234\n".utf8))
        unsafe unlink(lock)
        #expect(try sandbox.run("get", "a").out == [1])
        #expect(try sandbox.run("doctor").text.contains("file: usable"))
    }

    @Test("a slot that is not there is called so, whatever stands at the unfinished name")
    func noSlot() throws {
        for isTaken in [false, true] {
            if isTaken { try write(Array("a draft".utf8), toFile: sandbox.vault + ".new") }
            let passphrase = try file("new", "secret\n")
            for words in [
                ["key", "remove", "99"], ["key", "change", "99", "--new-passphrase-file", passphrase],
                ["key", "change", "99", "key-file", sandbox.path("k")], ["key", "rotate", "--master", "remove", "99"],
            ] {
                expect(try sandbox.run(raw: words.map { Array($0.utf8) }), 10, "There is no such slot")
            }
            expect(try sandbox.run("init"), 10, "There is a vault already")
            expect(try sandbox.run("key", "add", "key-file", sandbox.keyFile), 10, "This key opens the vault already")
        }
        expect(try sandbox.run("key", "rotate"), 10, "Something stands where the vault is written before")
        // What a killed maker left is in nobody's way.
        try write([], toFile: sandbox.vault + ".new")
        expect(try sandbox.run("key", "remove", "1"), 10, "The last key slot cannot be removed")
    }

    @Test("a passphrase that opens the vault already is refused")
    func samePassphrase() throws {
        let passphrase = try file("new", "secret\n")
        #expect(try sandbox.run("key", "add", "passphrase", "--new-passphrase-file", passphrase).exit == 0)
        expect(
            try sandbox.run("key", "add", "passphrase", "--new-passphrase-file", passphrase), 10,
            "This key opens the vault already")
        #expect(try sandbox.run("key", "list").text == "1  key-file\n2  passphrase\n")
    }

    @Test("key rotate --master blames no key that is there")
    func rotate() throws {
        let second = sandbox.path("second.key")
        #expect(try sandbox.run("key", "add", "key-file", second).exit == 0)
        let sentence = "The key of a slot that stays was not named"
        expect(try sandbox.run("key", "rotate", "--master"), 5, sentence)
        expect(try sandbox.run("key", "rotate", "--master", "key-file", sandbox.path("none")), 5, sentence)
        #expect(try sandbox.run("key", "rotate", "--master", "key-file", second).exit == 0)
        expect(
            try sandbox.run("--key-file", sandbox.path("none"), "key", "rotate", "--master", "key-file", second), 5,
            "The key of the store is missing")
    }

    @Test("an empty new passphrase, and a new passphrase's file that is missing or open to others, are called so")
    func newPassphrase() throws {
        let empty = try file("empty", "\n")
        expect(
            try sandbox.run("key", "add", "passphrase", "--new-passphrase-file", empty), 5, "The passphrase is empty")
        let missing = try sandbox.run("key", "add", "passphrase", "--new-passphrase-file", sandbox.path("none"))
        expect(missing, 5, "The passphrase file was not found")
        let open = try file("open", "secret\n")
        unsafe chmod(open, 0o644)
        expect(
            try sandbox.run("key", "add", "passphrase", "--new-passphrase-file", open), 6,
            "Others can read the passphrase file")
        let terminal = try PseudoTerminal()
        var launch = sandbox.launch(["key", "add", "passphrase"].map { Array($0.utf8) })
        launch.input = .file(terminal.path, O_RDWR)
        launch.ownSession = true
        let process = try launch.start()
        for question in ["New passphrase: ", "The same again: "] {
            try terminal.wait(for: question)
            try terminal.waitUntilHidden()
            try terminal.type("\n")
        }
        let outcome = try sandbox.outcome(try exitCode(of: process))
        #expect(outcome.exit == 5 && outcome.error.contains("The passphrase is empty"), "\(outcome.error)")
    }

    @Test("a passphrase for a vault without passphrase and key file gets no advice about a key file")
    func otherKinds() throws {
        let directory = sandbox.path("credentials")
        unsafe mkdir(directory, 0o700)
        try write(Array(repeating: 7, count: 32), toFile: directory + "/key")
        let words = ["--path", sandbox.path("other/vault"), "--systemd-credential", "key", "set", "a"]
        #expect(
            try sandbox.run(
                raw: words.map { Array($0.utf8) }, input: [1], environment: ["CREDENTIALS_DIRECTORY": directory]
            ).exit == 0)
        let passphrase = try file("p", "secret\n")
        let outcome = try sandbox.run(
            "--path", sandbox.path("other/vault"), "--passphrase-file", passphrase, "get", "a")
        expect(outcome, 8, "This store does not open with a passphrase; name its key;")
    }

    @Test("a key file in a directory that does not exist is no error of the disk")
    func keyDirectory() throws {
        let sentence = "The directory of the key file does not exist"
        expect(try sandbox.run("key", "add", "key-file", sandbox.path("none/key")), 5, sentence)
        let words = ["--path", sandbox.path("v"), "--key-file", sandbox.path("none/key"), "init"]
        expect(try sandbox.run(raw: words.map { Array($0.utf8) }), 5, sentence)
        #expect(unsafe access(sandbox.path("v"), F_OK) != 0)
    }

    @Test("work outside the limits gets no advice that the tool cannot follow")
    func limits() throws {
        let vault = StorageBuilder.EncryptedFile(service: "test").path(sandbox.path("small"))
            .keyDerivation(.floor).keySource(.passphrase { "secret" }).log(.silent)
        try vault.build().create()
        var content = try bytes(ofFile: sandbox.path("small"))
        try setPasses(1 << 20, in: &content)
        try write(content, toFile: sandbox.path("small"))
        let passphrase = try file("p", "secret\n")
        let outcome = try sandbox.run("--path", sandbox.path("small"), "--passphrase-file", passphrase, "get", "a")
        expect(outcome, 7, "The store demands key derivation work outside the accepted limits; do not open it")
        #expect(!outcome.error.contains("raise the limits;"))
    }

    /// In both copies, with hashes that hold again.
    private func setPasses(_ passes: UInt32, in content: inout [UInt8]) throws {
        for start in [0, 8192] {
            for index in 0..<4 {
                content[start + 168 + index] = UInt8(truncatingIfNeeded: passes >> (8 * UInt32(index)))
            }
            let length = Int(content[start + 12]) | Int(content[start + 13]) << 8
            let noKey: [UInt8] = []
            var hash = Blake2b(length: 32, key: noKey.span)
            let covered = Array(content[start..<start + length - 32])
            hash.update(covered.span)
            content.replaceSubrange(start + length - 32..<start + length, with: hash.finish())
        }
    }
}

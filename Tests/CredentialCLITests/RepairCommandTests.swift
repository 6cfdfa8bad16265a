import CredentialStorage
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RepairCommandTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        for name in ["a", "b", "c"] { try sandbox.run("set", name, input: Array("value of \(name)".utf8)) }
    }

    private var aside: String { sandbox.vault + ".old-1" }

    /// Destroys the box of the second entry.
    private func damage() throws {
        var content = try bytes(ofFile: sandbox.vault)
        content[16384 + 160 + 112 + 10] ^= 1
        try write(content, toFile: sandbox.vault)
    }

    @Test("repair keeps what opens, names what does not, and keeps the old file")
    func repair() throws {
        try damage()
        let old = try bytes(ofFile: sandbox.vault)
        let outcome = try sandbox.run("repair", "--yes")
        #expect(outcome.exit == 12)
        #expect(outcome.text == "kept     2\nomitted  b\naside    credentials.vault.old-1\n")
        #expect(try bytes(ofFile: aside) == old)
        #expect(try sandbox.run("list").text == "a\nc\n")
        #expect(try sandbox.run("get", "b").exit == 3)
        #expect(try sandbox.run("verify").exit == 0)
        let again = try sandbox.run("repair", "--yes", "--json")
        #expect(again.exit == 0)
        #expect(again.text == #"{"kept":2,"omitted":[],"lost":0,"rolledBack":false,"aside":null}"# + "\n")
        try damage()
        #expect(
            try sandbox.run("repair", "--yes", "--json").text
                == #"{"kept":1,"omitted":[{"name":"c","reason":"damaged"}],"lost":0,"#
                + #""rolledBack":false,"aside":"credentials.vault.old-2"}"# + "\n")
    }

    @Test("repair tells of an older copy before it accepts it")
    func rolledBack() throws {
        let old = try bytes(ofFile: sandbox.vault)
        try sandbox.run("set", "d", input: [1])
        try write(old, toFile: sandbox.vault)
        let outcome = try sandbox.run("repair", "--yes")
        #expect(outcome.exit == 12)
        #expect(outcome.text == "kept     3\nolder    a newer state of this vault had been seen\n")
        expectOneSentence(outcome)
        #expect(outcome.error.hasPrefix("credstore: An older copy of the vault"))
        #expect(try sandbox.run("verify").exit == 0)
        #expect(try sandbox.run("repair", "--yes").exit == 0)
        #expect(unsafe access(aside, F_OK) != 0)
    }

    @Test("what needs an agreement wants --yes where there is no terminal", arguments: ["repair", "reset"])
    func agreement(command: String) throws {
        try damage()
        let before = try sandbox.snapshot()
        let outcome = try sandbox.run(raw: [Array(command.utf8)]) { $0.ownSession = true }
        #expect(outcome.exit == 2)
        expectOneSentence(outcome)
        for words in [["--no-prompt", command], ["--json", "--no-prompt", command]] {
            #expect(try sandbox.run(raw: words.map { Array($0.utf8) }).exit == 2)
        }
        #expect(try sandbox.snapshot() == before)
        #expect(try Sandbox().run(raw: [Array(command.utf8), Array("--yes".utf8)]).exit == 3)
    }

    @Test("on a terminal a person says yes or does not", arguments: ["repair", "reset"])
    func question(command: String) throws {
        try damage()
        let before = try sandbox.snapshot()
        for (answer, exit) in [("no\n", Int32(4)), ("\n", 4), ("\u{4}", 4), ("yes\n", command == "repair" ? 12 : 0)] {
            let terminal = try PseudoTerminal()
            var launch = sandbox.launch([Array(command.utf8)])
            launch.input = .file(terminal.path, O_RDWR)
            launch.ownSession = true
            let process = try launch.start()
            try terminal.wait(for: "Type yes to go on: ")
            #expect(try sandbox.snapshot() == before)
            try terminal.type(answer)
            #expect(try exitCode(of: process) == exit, "\(answer)")
        }
        #expect(unsafe access(aside, F_OK) == 0)
    }

    @Test("reset makes an empty vault, also with a lost key")
    func reset() throws {
        let old = try bytes(ofFile: sandbox.vault)
        #expect(unsafe unlink(sandbox.keyFile) == 0)
        let outcome = try sandbox.run("reset", "--yes")
        #expect(outcome.exit == 0 && outcome.text == "credentials.vault.old-1\n")
        #expect(try bytes(ofFile: aside) == old)
        #expect(try bytes(ofFile: sandbox.keyFile).count == 32)
        #expect(try sandbox.run("list").exit == 0)
        #expect(try sandbox.run("get", "a").exit == 3)
        try sandbox.run("set", "a", input: [7])
        #expect(try sandbox.run("get", "a").out == [7])
    }

    @Test("repair of a vault with one damaged copy of the header keeps the file as it was")
    func header() throws {
        var content = try bytes(ofFile: sandbox.vault)
        content[200] ^= 1
        try write(content, toFile: sandbox.vault)
        let outcome = try sandbox.run("repair", "--yes")
        #expect(outcome.exit == 0 && outcome.text == "kept     3\naside    credentials.vault.old-1\n")
        #expect(try bytes(ofFile: aside) == content)
        #expect(try sandbox.run("verify", "--json").json()["sound"] == .bool(true))
    }

    @Test("verify tells that the two copies of the header differ, in words and as JSON")
    func differing() throws {
        let before = try bytes(ofFile: sandbox.vault)
        #expect(try sandbox.run("key", "add", "key-file", sandbox.path("key")).exit == 0)
        #expect(try sandbox.run("verify", "--json").json()["headerCopiesDiffer"] == .bool(false))
        var content = try bytes(ofFile: sandbox.vault)
        content.replaceSubrange(0..<8192, with: before[0..<8192])
        try write(content, toFile: sandbox.vault)
        let text = try sandbox.run("verify")
        #expect(text.exit == 12)
        #expect(text.text.contains("header       ok, ok; the two copies differ\n"))
        expectOneSentence(text)
        #expect(text.error.hasPrefix("credstore: The two copies of the header differ"))
        let json = try sandbox.run("verify", "--json")
        #expect(json.exit == 12)
        #expect(try json.json()["headerCopiesDiffer"] == .bool(true))
        #expect(try json.json()["intact"] == .bool(false))
        #expect(try bytes(ofFile: sandbox.vault) == content)
        #expect(try sandbox.run("set", "d", input: [1]).exit == 0)
        #expect(try sandbox.run("verify").exit == 0)
    }

    @Test(
        "reset never guesses what opens the new vault where the old one does not tell", arguments: ["headers", "text"])
    func unreadable(kind: String) throws {
        var content = try bytes(ofFile: sandbox.vault)
        for place in [200, 8192 + 200] { content[place] ^= 1 }
        try write(kind == "text" ? Array("no vault".utf8) : content, toFile: sandbox.vault)
        let before = try sandbox.snapshot()
        for words in [["reset", "--yes"], ["--no-prompt", "reset", "--yes"]] {
            let unnamed = try sandbox.run(raw: words.map { Array($0.utf8) }) { $0.ownSession = true }
            #expect(unnamed.exit == 2)
            expectOneSentence(unnamed)
            #expect(unnamed.error.contains("name what the new one opens with"))
            #expect(try sandbox.snapshot() == before)
        }
        #expect(try sandbox.run("--json", "reset", "--yes").error == errorJSON("usage", exit: 2))
        let new = sandbox.path("new")
        try write(Array("new".utf8), toFile: new)
        #expect(try sandbox.run("reset", "--yes", "--new-passphrase-file", new).text == "credentials.vault.old-1\n")
        #expect(try sandbox.run("list", "--passphrase-file", new).exit == 0)
        try write(Array("no vault".utf8), toFile: sandbox.vault)
        #expect(try sandbox.run("reset", "--yes", "--key-file", sandbox.keyFile).text == "credentials.vault.old-2\n")
        #expect(try sandbox.run("list").exit == 0)
    }

    @Test("reset of a vault under a passphrase never makes one under a key file unless it is named")
    func passphrase() throws {
        let other = try Sandbox()
        let (lost, new) = (other.path("lost"), other.path("new"))
        try write(Array("lost".utf8), toFile: lost)
        try write(Array("new".utf8), toFile: new)
        #expect(try other.run("--passphrase-file", lost, "init").exit == 0)
        let before = try other.snapshot()
        let unnamed = try other.run(raw: ["reset", "--yes", "--json"].map { Array($0.utf8) }) { $0.ownSession = true }
        #expect(unnamed.error == errorJSON("unavailable", "keySourceMissing", exit: 5))
        #expect(try other.snapshot() == before)
        #expect(try other.run("reset", "--yes", "--new-passphrase-file", new).exit == 0)
        #expect(try other.run("set", "a", "--passphrase-file", new, input: [1]).exit == 0)
        #expect(try other.run("list", "--passphrase-file", lost).exit == 8)
        #expect(unsafe access(other.keyFile, F_OK) != 0)
    }
}

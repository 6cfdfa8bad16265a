import Glibc
import Testing

@Suite(.timeLimit(.minutes(5)))
struct KeyCommandTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.run("set", "a", input: [1])
    }

    private func passphraseFile(_ name: String, _ text: String) throws -> String {
        let path = sandbox.path(name)
        try write(Array("\(text)\n".utf8), toFile: path)
        return path
    }

    @Test("slots are listed without any key, and a vault that is not there is absent")
    func list() throws {
        #expect(try sandbox.run("key", "list").text == "1  key-file\n")
        #expect(unsafe unlink(sandbox.keyFile) == 0)
        let json = #"[{"slot":1,"kind":"key-file","machine":false}]"#
        #expect(try sandbox.run("key", "list", "--json").text == json + "\n")
        let none = try Sandbox()
        for words in [["list"], ["add", "key-file", none.path("k")], ["remove", "1"], ["change", "1"], ["rotate"]] {
            let outcome = try none.run(raw: (["key"] + words).map { Array($0.utf8) })
            #expect(outcome.exit == 3, "\(words)")
        }
        #expect(try none.snapshot().isEmpty)
        #expect(unsafe access(none.path("k"), F_OK) != 0)
    }

    @Test("a passphrase and a key file are added, used, changed and removed")
    func slots() throws {
        let (new, second) = (try passphraseFile("new", "correct horse"), sandbox.path("second.key"))
        let added = try sandbox.run("key", "add", "passphrase", "--new-passphrase-file", new)
        #expect(added.exit == 0 && added.text == "2  passphrase\n")
        #expect(try sandbox.run("get", "a", "--passphrase-file", new).out == [1])
        #expect(
            try sandbox.run("--passphrase-file", new, "--json", "key", "add", "key-file", second).text
                == #"{"slot":3,"kind":"key-file","machine":false}"# + "\n")
        #expect(try bytes(ofFile: second).count == 32)
        #expect(try sandbox.run("get", "a", "--key-file", second).out == [1])

        let newer = try passphraseFile("newer", "battery staple")
        #expect(
            try sandbox.shell("\"$credstore\" key change 2 --new-passphrase-fd 5 5< '\(newer)'").text
                == "2  passphrase\n")
        #expect(try sandbox.run("get", "a", "--passphrase-file", new).exit == 8)
        #expect(try sandbox.run("get", "a", "--passphrase-file", newer).out == [1])
        #expect(try sandbox.run("key", "change", "3", "passphrase", "--new-passphrase-file", new).exit == 0)
        #expect(try sandbox.run("get", "a", "--key-file", second).exit == 8)

        #expect(try sandbox.run("key", "remove", "3").exit == 0)
        #expect(try sandbox.run("key", "remove", "1").exit == 0)
        #expect(try sandbox.run("get", "a", "--key-file", sandbox.keyFile).exit == 8)
        #expect(try sandbox.run("get", "a", "--no-prompt").exit == 5)
        let last = try sandbox.run("--passphrase-file", newer, "--json", "key", "remove", "2")
        #expect(last.exit == 10 && last.error == errorJSON("lastKeySlot", exit: 10))
        let gone = try sandbox.run("--passphrase-file", newer, "key", "remove", "3")
        #expect(gone.exit == 10)
        expectOneSentence(gone)
        #expect(try sandbox.run("get", "a", "--passphrase-file", newer).out == [1])
        #expect(try sandbox.run("verify", "--passphrase-file", newer).exit == 0)
    }

    @Test(
        "words that mean nothing are usage errors, and change nothing",
        arguments: [
            ["key"], ["key", "frobnicate"], ["key", "list", "x"], ["key", "add"], ["key", "add", "password"],
            ["key", "add", "passphrase", "x"], ["key", "add", "key-file"], ["key", "add", "key-file", "x", "y"],
            ["key", "add", "key-file", ""], ["key", "add", "entry"], ["key", "add", "entry", "--from", "file"],
            ["key", "add", "entry", "--from", "nothing"], ["key", "add", "entry", "secret-service"],
            ["key", "add", "systemd-credential"], ["key", "add", "kernel-keyring", "user"],
            ["key", "add", "machine", "x"], ["key", "add", "machine", "--from", "secret-service"],
            ["key", "add", "passphrase"], ["key", "remove", "1", "--from", "secret-service"],
            ["key", "add", "kernel-keyring", "--new-passphrase-fd", "3"],
            ["--kernel-keyring", "--key-file", "x", "key", "list"],
            ["--entry-from", "file", "get", "a"], ["--entry-from", "nothing", "get", "a"],
            ["--systemd-credential", "", "get", "a"], ["--backend", "secret-service", "--kernel-keyring", "get", "a"],
            ["key", "remove"], ["key", "remove", "one"], ["key", "remove", "-1"], ["key", "remove", "1", "2"],
            ["key", "change"], ["key", "change", "1"], ["key", "change", "x", "passphrase"],
            ["key", "rotate", "remove", "1"], ["key", "rotate", "--master", "remove"],
            ["key", "rotate", "--master", "password-file", "x"], ["--new-passphrase-fd", "x", "key", "list"],
            ["--new-passphrase-fd", "3", "--new-passphrase-file", "x", "key", "list"],
        ])
    func usage(words: [String]) throws {
        let before = try sandbox.snapshot()
        let outcome = try sandbox.run(raw: words.map { Array($0.utf8) }) { $0.ownSession = true }
        #expect(outcome.exit == 2)
        expectOneSentence(outcome)
        #expect(try sandbox.snapshot() == before)
    }

    @Test("new keys for the contents: every slot opens them, or with --master those whose keys are given")
    func rotate() throws {
        let (two, three) = (try passphraseFile("two", "correct horse"), sandbox.path("three.key"))
        #expect(try sandbox.run("key", "add", "passphrase", "--new-passphrase-file", two).exit == 0)
        #expect(try sandbox.run("key", "add", "key-file", three).exit == 0)
        let before = try bytes(ofFile: sandbox.vault)
        let rotated = try sandbox.run("key", "rotate")
        #expect(rotated.exit == 0 && rotated.out.isEmpty && rotated.error.isEmpty)
        let after = try bytes(ofFile: sandbox.vault)
        #expect(after[16384 + 40..<16384 + 56] != before[16384 + 40..<16384 + 56])
        for key in [["get", "a"], ["get", "a", "--passphrase-file", two], ["get", "a", "--key-file", three]] {
            #expect(try sandbox.run(raw: key.map { Array($0.utf8) }).out == [1])
        }
        let incomplete = try sandbox.run("--json", "key", "rotate", "--master", "key-file", three)
        #expect(incomplete.error == errorJSON("unavailable", "keySourceMissing", exit: 5))
        #expect(try bytes(ofFile: sandbox.vault) == after)
        #expect(try sandbox.run("key", "rotate", "--master", "key-file", three, "passphrase-file", two).exit == 0)
        #expect(try sandbox.run("key", "rotate", "key-file", three, "--master", "remove", "2").exit == 0)
        #expect(try sandbox.run("key", "list").text == "1  key-file\n3  key-file\n")
        #expect(try sandbox.run("get", "a", "--passphrase-file", two).exit == 8)
        for key in [["get", "a"], ["get", "a", "--key-file", three]] {
            #expect(try sandbox.run(raw: key.map { Array($0.utf8) }).out == [1])
        }
    }

    @Test("a key that opens the vault already is refused, and so is a ninth one")
    func twice() throws {
        let second = sandbox.path("second.key")
        #expect(try sandbox.run("key", "add", "key-file", second).exit == 0)
        let before = try sandbox.snapshot()
        let known = [sandbox.keyFile, second]
        for words in known.map({ ["add", "key-file", $0] }) + [["change", "1", "key-file", second]] {
            let outcome = try sandbox.run(raw: (["key"] + words).map { Array($0.utf8) })
            #expect(outcome.exit == 10, "\(words)")
            #expect(
                outcome.error
                    == "credstore: This key opens the vault already; name another one; nothing was changed.\n")
        }
        #expect(try sandbox.snapshot() == before)
        for number in 3...8 { #expect(try sandbox.run("key", "add", "key-file", sandbox.path("\(number)")).exit == 0) }
        let ninth = try sandbox.run("key", "add", "key-file", sandbox.path("ninth"))
        #expect(ninth.exit == 10)
        #expect(ninth.error.hasPrefix("credstore: The vault has as many keys as it can have;"))
        #expect(unsafe access(sandbox.path("ninth"), F_OK) != 0)
        #expect(try sandbox.run("--json", "key", "add", "key-file", second).error == errorJSON("conflict", exit: 10))
    }

    @Test("a vault that others may read lists no slots, and no key is made for it")
    func openMode() throws {
        unsafe chmod(sandbox.vault, 0o644)
        let new = sandbox.path("new.key")
        let making = [["add", "key-file", new], ["change", "1", "key-file", new]]
        for words in making + [["list"], ["remove", "1"], ["rotate"]] {
            let outcome = try sandbox.run(raw: (["--json", "key"] + words).map { Array($0.utf8) })
            #expect(outcome.error == errorJSON("unavailable", "insecurePermissions", exit: 6), "\(words)")
            #expect(outcome.out.isEmpty)
        }
        #expect(unsafe access(new, F_OK) != 0)
    }

    @Test("rotation stops at damage and says what to do, and the vault stays as it is")
    func damage() throws {
        let frame = try #require(try sandbox.frames().first)
        try sandbox.damage(frame)
        let before = try sandbox.snapshot()
        for words in [["rotate"], ["rotate", "--master"]] {
            let outcome = try sandbox.run(raw: (["key"] + words).map { Array($0.utf8) })
            #expect(outcome.exit == 7)
            expectOneSentence(outcome)
            #expect(outcome.error.contains("repair"))
        }
        #expect(try sandbox.snapshot() == before)
    }

    @Test("long work shows on a terminal how far it is, and takes the line away at its end")
    func progress() throws {
        let pipe = sandbox.path("pipe")
        let passphrase = try passphraseFile("new", "correct horse")
        #expect(try sandbox.run("key", "add", "passphrase", "--new-passphrase-file", passphrase).exit == 0)
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let terminal = try PseudoTerminal()
        var launch = sandbox.launch(["key", "rotate", "--master", "passphrase-file", pipe].map { Array($0.utf8) })
        launch.error = .file(terminal.path, O_WRONLY | O_NOCTTY)
        let process = try launch.start()
        // The work has begun when the passphrase is asked for, and is long half a second later.
        let end = unsafe open(pipe, O_WRONLY | O_CLOEXEC)
        #expect(end >= 0)
        usleep(600_000)
        #expect(unsafe Glibc.write(end, "correct horse\n", 14) == 14)
        close(end)
        try terminal.wait(for: "1 of 1 sealed anew")
        #expect(try exitCode(of: process) == 0)
        terminal.drain()
        #expect(terminal.text.hasSuffix("\r\(String(repeating: " ", count: "1 of 1 sealed anew".count))\r"))
        #expect(try sandbox.run("get", "a").out == [1])
    }

    @Test("a passphrase that was added as a way back is asked for when the key file is gone")
    func wayBack() throws {
        let (new, terminal) = (try passphraseFile("new", "correct horse"), try PseudoTerminal())
        #expect(try sandbox.run("key", "add", "passphrase", "--new-passphrase-file", new).exit == 0)
        #expect(unsafe unlink(sandbox.keyFile) == 0)
        #expect(try sandbox.run("get", "a", "--no-prompt").exit == 5)
        var launch = sandbox.launch(["get", "a"].map { Array($0.utf8) })
        launch.input = .file(terminal.path, O_RDWR)
        launch.ownSession = true
        let process = try launch.start()
        try terminal.wait(for: "Passphrase: ")
        try terminal.waitUntilHidden()
        try terminal.type("correct horse\n")
        #expect(try sandbox.outcome(try exitCode(of: process)).out == [1])
    }

    @Test("a new passphrase is typed twice, and two different ones change nothing")
    func typed() throws {
        for (second, exit) in [("battery staple", Int32(2)), ("correct horse", 0)] {
            let terminal = try PseudoTerminal()
            var launch = sandbox.launch(["key", "add", "passphrase"].map { Array($0.utf8) })
            launch.input = .file(terminal.path, O_RDWR)
            launch.ownSession = true
            let process = try launch.start()
            for (question, answer) in [("New passphrase: ", "correct horse"), ("The same again: ", second)] {
                try terminal.wait(for: question)
                try terminal.waitUntilHidden()
                try terminal.type("\(answer)\n")
            }
            let outcome = try sandbox.outcome(try exitCode(of: process))
            #expect(outcome.exit == exit)
            terminal.drain()
            #expect(!terminal.text.contains("horse") && !outcome.error.contains("horse"))
            let slots = try sandbox.run("key", "list").text
            #expect(slots == (exit == 0 ? "1  key-file\n2  passphrase\n" : "1  key-file\n"))
        }
    }
}

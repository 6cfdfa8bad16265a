import FoundationEssentials
import Glibc
import Testing

/// Passphrases that a person types, and files that hold one.
@Suite(.timeLimit(.minutes(3)))
struct PassphraseTests {
    /// Starts the tool in a session of its own, with the terminal as its standard input.
    private func start(_ words: [String], in sandbox: Sandbox, on terminal: PseudoTerminal) throws -> pid_t {
        var launch = sandbox.launch(words.map { Array($0.utf8) })
        launch.input = .file(terminal.path, O_RDWR)
        launch.ownSession = true
        return try launch.start()
    }

    private func answer(_ question: String, _ line: String, on terminal: PseudoTerminal) throws {
        try terminal.wait(for: question)
        try terminal.waitUntilHidden()
        try terminal.type("\(line)\n")
    }

    @Test(
        "a passphrase from a terminal is asked for hidden, and twice for a new vault",
        arguments: [
            ["--passphrase-fd", "0"], ["--passphrase-file", "/dev/tty"], ["--passphrase-file", "/dev/stdin"],
        ])
    func typed(option: [String]) throws {
        let sandbox = try Sandbox()
        let new = try PseudoTerminal()
        var process = try start(option + ["init"], in: sandbox, on: new)
        try answer("Passphrase: ", "correct horse", on: new)
        try answer("The same again: ", "correct horse", on: new)
        #expect(try exitCode(of: process) == 0)
        new.drain()
        #expect(!new.text.contains("horse"))
        #expect(try new.echoes)

        let file = sandbox.path("passphrase")
        try write(Array("correct horse".utf8), toFile: file)
        #expect(try sandbox.run("--passphrase-file", file, "set", "a", input: [65]).exit == 0)

        let present = try PseudoTerminal()
        process = try start(option + ["get", "a"], in: sandbox, on: present)
        try answer("Passphrase: ", "correct horse", on: present)
        let outcome = try sandbox.outcome(try exitCode(of: process))
        #expect(outcome.exit == 0)
        #expect(outcome.out == [65])
        present.drain()
        #expect(!present.text.contains("horse") && !present.text.contains("again"))
    }

    @Test("two passphrases that differ make nothing")
    func differing() throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let process = try start(["--passphrase-fd", "0", "init"], in: sandbox, on: terminal)
        try answer("Passphrase: ", "one", on: terminal)
        try answer("The same again: ", "other", on: terminal)
        let outcome = try sandbox.outcome(try exitCode(of: process))
        #expect(outcome.exit == 2)
        #expect(outcome.error == "credstore: The two passphrases differ; try again; nothing was changed.\n")
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("value and passphrase are both typed, and a first set asks for the passphrase twice")
    func firstSet() throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let process = try start(["--passphrase-fd", "0", "set", "a"], in: sandbox, on: terminal)
        try answer("Value: ", "secret", on: terminal)
        try answer("Passphrase: ", "p", on: terminal)
        try answer("The same again: ", "p", on: terminal)
        #expect(try exitCode(of: process) == 0)
        #expect(try sandbox.shell("printf p | \"$credstore\" --passphrase-fd 0 get a").text == "secret")
    }

    @Test("--no-prompt forbids the question, and nobody is asked for what nothing wants")
    func silence() throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let option = ["--passphrase-fd", "0"]
        func exit(_ words: [String]) throws -> Outcome {
            try sandbox.outcome(try exitCode(of: try start(words, in: sandbox, on: terminal)))
        }
        let refused = try exit(option + ["--no-prompt", "--json", "init"])
        #expect(refused.error == errorJSON("unavailable", "promptNeeded", exit: 4))
        for command in [["list"], ["get", "a"], ["dump"], ["doctor"]] {
            #expect(try [0, 3].contains(exit(option + command).exit), "\(command)")
        }
        #expect(try sandbox.snapshot().isEmpty)
        #expect(try sandbox.run("init").exit == 0)
        #expect(try exit(option + ["init"]).exit == 10)
        terminal.drain()
        #expect(terminal.shown.isEmpty)
    }

    @Test("a passphrase file that others may use is refused; a pipe and a descriptor are not")
    func openFile() throws {
        let sandbox = try Sandbox()
        let file = sandbox.path("passphrase")
        try write(Array("p\n".utf8), toFile: file)
        #expect(try sandbox.run("--passphrase-file", file, "init").exit == 0)
        for mode in [0o644, 0o640, 0o620, 0o604] as [mode_t] {
            unsafe chmod(file, mode)
            let outcome = try sandbox.run("--passphrase-file", file, "list")
            #expect(outcome.exit == 6)
            #expect(
                outcome.error
                    == "credstore: Others can read the passphrase file; take that away with chmod 600; it was not read.\n"
            )
            let json = try sandbox.run("--json", "--passphrase-file", file, "list")
            #expect(json.error == errorJSON("unavailable", "insecurePermissions", exit: 6))
        }
        #expect(try sandbox.shell("\"$credstore\" --passphrase-fd 3 list 3< '\(file)'").exit == 0)
        #expect(try sandbox.shell("printf p | \"$credstore\" --passphrase-file /dev/stdin list").exit == 0)
        unsafe chmod(file, 0o400)
        #expect(try sandbox.run("--passphrase-file", file, "list").exit == 0)
    }

    @Test("each trouble with a key has its own sentence")
    func sentences() throws {
        let sandbox = try Sandbox()
        let (file, key) = (sandbox.path("passphrase"), sandbox.path("key"))
        func sentence(_ words: String...) throws -> String {
            let outcome = try sandbox.run(raw: words.map { Array($0.utf8) }, input: [1])
            expectOneSentence(outcome, without: file, key)
            return outcome.error
        }
        #expect(try sentence("--key-file", key, "set", "a").contains("There is no store and no key file yet; run"))
        try write([10], toFile: file)
        #expect(try sentence("--passphrase-file", file, "init").contains("The passphrase is empty;"))
        try write([UInt8](repeating: 65, count: 1_048_578), toFile: file)
        #expect(try sentence("--passphrase-file", file, "init").contains("The passphrase is too long;"))
        #expect(try sentence("--passphrase-file", sandbox.root, "init").contains("The passphrase cannot be read;"))
        #expect(try sandbox.snapshot().isEmpty)

        try write([65], toFile: file)
        #expect(try sandbox.run("--passphrase-file", file, "init").exit == 0)
        #expect(try sentence("--passphrase-file", "/nonexistent/p", "list").contains("passphrase file was not found;"))
        #expect(try sentence("--no-prompt", "list").contains("This store opens with a passphrase; give it with"))
        // One that this process does not hand down either.
        let closed = try #require((100..<1000).first { fcntl($0, F_GETFD) < 0 })
        #expect(
            try sentence("--passphrase-fd", "\(closed)", "list").contains("descriptor of the passphrase is not open;"))
        try write([UInt8](repeating: 9, count: 32), toFile: key)
        #expect(try sentence("--key-file", key, "list").contains("This store does not open with a key file;"))
    }
}

import CredentialStorage
import Glibc
import Testing

@testable import CredentialCLI

@Suite(.timeLimit(.minutes(2)))
struct TerminalTests {
    /// Starts the tool in a session of its own on a terminal.
    private func start(
        _ words: [String], in sandbox: Sandbox, on terminal: PseudoTerminal, redirectingInput: Bool = false
    ) throws -> pid_t {
        var launch = sandbox.launch(words.map { Array($0.utf8) })
        if redirectingInput {
            // The terminal is the controlling one although no standard descriptor but the third is it.
            launch.error = .file(terminal.path, O_RDWR)
        } else {
            launch.input = .file(terminal.path, O_RDWR)
        }
        launch.ownSession = true
        return try launch.start()
    }

    @Test("set asks for the value without showing it, and takes the line without its newline")
    func hiddenValue() throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let process = try start(["set", "a"], in: sandbox, on: terminal)
        try terminal.wait(for: "Value: ")
        try terminal.waitUntilHidden()
        try terminal.type("s3cret \u{E9}\n")
        #expect(try sandbox.outcome(try exitCode(of: process)).exit == 0)
        terminal.drain()
        #expect(!terminal.text.contains("s3cret"))
        #expect(try terminal.echoes)
        #expect(try sandbox.run("get", "a").text == "s3cret \u{E9}")
    }

    @Test("an empty line is an empty value")
    func emptyLine() throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let process = try start(["set", "a"], in: sandbox, on: terminal)
        try terminal.wait(for: "Value: ")
        try terminal.waitUntilHidden()
        try terminal.type("\n")
        #expect(try exitCode(of: process) == 0)
        let get = try sandbox.run("get", "a")
        #expect(get.exit == 0)
        #expect(get.out.isEmpty)
    }

    @Test("Ctrl-C restores the echo and exits 130 without a word", arguments: [("\u{3}", 130), ("\u{1C}", 131)])
    func interrupt(key: String, exit: Int32) throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let process = try start(["set", "a"], in: sandbox, on: terminal)
        try terminal.wait(for: "Value: ")
        try terminal.waitUntilHidden()
        try terminal.type("half\(key)")
        let outcome = try sandbox.outcome(try exitCode(of: process))
        #expect(outcome.exit == exit)
        #expect(outcome.error.isEmpty)
        #expect(try terminal.echoes)
        terminal.drain()
        #expect(!terminal.text.contains("half"))
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("SIGTERM at the question restores the echo", arguments: [SIGTERM, SIGHUP])
    func terminate(signal: Int32) throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let process = try start(["set", "a"], in: sandbox, on: terminal)
        try terminal.wait(for: "Value: ")
        try terminal.waitUntilHidden()
        kill(process, signal)
        #expect(try exitCode(of: process) == 128 + signal)
        #expect(try terminal.echoes)
    }

    @Test(
        "the end of the input at the question is a dismissal, not an empty value",
        arguments: ["\u{4}", "half\u{4}\u{4}"])
    func endOfInput(keys: String) throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        try sandbox.run("set", "a", input: [7])
        let process = try start(["set", "a"], in: sandbox, on: terminal)
        try terminal.wait(for: "Value: ")
        try terminal.waitUntilHidden()
        try terminal.type(keys)
        let outcome = try sandbox.outcome(try exitCode(of: process))
        #expect(outcome.exit == 4)
        expectOneSentence(outcome)
        #expect(try terminal.echoes)
        #expect(try sandbox.run("get", "a").out == [7])
    }

    @Test("Ctrl-Z restores the echo, and the question comes again")
    func suspend() throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        var launch = sandbox.launch([])
        // A shell with job control: without one the system lets nobody stop.
        let line = "set -m; \"$0\" set a; stty -a; fg >/dev/null"
        launch.arguments = ["-c", line, launch.program].map { Array($0.utf8) }
        launch.program = "/bin/sh"
        launch.input = .file(terminal.path, O_RDWR)
        launch.ownSession = true
        let shell = try launch.start()
        try terminal.wait(for: "Value: ")
        try terminal.waitUntilHidden()
        try terminal.type("\u{1A}")
        try terminal.wait(for: "Value: ", times: 2)
        try terminal.waitUntilHidden()
        try terminal.type("v\n")
        let outcome = try sandbox.outcome(try exitCode(of: shell))
        #expect(outcome.exit == 0)
        #expect(outcome.text.contains(" echo "))
        #expect(try sandbox.run("get", "a").text == "v")
    }

    @Test("a line that the terminal may have cut is refused")
    func longLine() throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let process = try start(["set", "a"], in: sandbox, on: terminal)
        try terminal.wait(for: "Value: ")
        try terminal.waitUntilHidden()
        try terminal.type(String(repeating: "x", count: 5000) + "\n")
        #expect(try sandbox.outcome(try exitCode(of: process)).exit == 2)
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("--no-prompt forbids the question for the value")
    func noPrompt() throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let process = try start(["--no-prompt", "--json", "set", "a"], in: sandbox, on: terminal)
        let outcome = try sandbox.outcome(try exitCode(of: process))
        #expect(outcome.exit == 4)
        #expect(outcome.error.contains(#""category":"promptNeeded""#))
        terminal.drain()
        #expect(terminal.shown.isEmpty)
    }

    @Test("a vault with a passphrase asks for it on the terminal, also when the value is piped")
    func passphrase() throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let file = sandbox.path("passphrase")
        try write(Array("correct horse".utf8), toFile: file)
        #expect(try sandbox.run("--passphrase-file", file, "init").exit == 0)
        #expect(try sandbox.run("--passphrase-file", file, "set", "a", input: [UInt8(ascii: "v")]).exit == 0)

        var process = try start(["get", "a"], in: sandbox, on: terminal, redirectingInput: true)
        try terminal.wait(for: "Passphrase: ")
        try terminal.waitUntilHidden()
        try terminal.type("correct horse\n")
        let right = try sandbox.outcome(try exitCode(of: process))
        #expect(right.exit == 0)
        #expect(right.text == "v")
        terminal.drain()
        #expect(!terminal.text.contains("horse"))
        #expect(try terminal.echoes)

        let again = try PseudoTerminal()
        process = try start(["get", "a"], in: sandbox, on: again)
        try again.wait(for: "Passphrase: ")
        try again.waitUntilHidden()
        try again.type("wrong\n")
        #expect(try sandbox.outcome(try exitCode(of: process)).exit == 8)

        let stopped = try PseudoTerminal()
        process = try start(["list"], in: sandbox, on: stopped)
        try stopped.wait(for: "Passphrase: ")
        try stopped.waitUntilHidden()
        try stopped.type("\u{3}")
        #expect(try exitCode(of: process) == 130)
        #expect(try stopped.echoes)

        let forbidden = try PseudoTerminal()
        process = try start(["--no-prompt", "list"], in: sandbox, on: forbidden)
        #expect(try exitCode(of: process) == 5)
        let doctor = try start(["doctor"], in: sandbox, on: forbidden)
        #expect(try exitCode(of: doctor) == 0)
        forbidden.drain()
        #expect(forbidden.shown.isEmpty)
    }

    @Test("init on a vault with a passphrase answers without asking for it")
    func initializeAgain() throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let file = sandbox.path("passphrase")
        try write(Array("p".utf8), toFile: file)
        #expect(try sandbox.run("--passphrase-file", file, "init").exit == 0)
        let process = try start(["init"], in: sandbox, on: terminal)
        #expect(try exitCode(of: process) == 10)
        terminal.drain()
        #expect(terminal.shown.isEmpty)
    }

    @Test("get adds a newline on a terminal only, and list escapes control characters there only")
    func outputs() throws {
        let (sandbox, terminal) = (try Sandbox(), try PseudoTerminal())
        let name = "red\u{1B}[31m\n\u{9B}x\\"
        try sandbox.run("set", name, input: Array("value".utf8))
        for words in [["get", name], ["list"]] {
            var launch = sandbox.launch(words.map { Array($0.utf8) })
            launch.output = .file(terminal.path, O_RDWR | O_NOCTTY)
            #expect(try exitCode(of: try launch.start()) == 0)
        }
        terminal.drain()
        #expect(terminal.text == "value\r\nred\\u{1b}[31m\\n\\u{9b}x\\\\\r\n")
        #expect(try sandbox.run("get", name).text == "value")
        #expect(try sandbox.run("list").out == Array("\(name)\n".utf8))
    }

    @Test(
        "escaping leaves printable text alone",
        arguments: [
            ("plain", "plain"), ("\u{1F511} e\u{301}", "\u{1F511} e\u{301}"), ("\0\u{7F}", "\\u{0}\\u{7f}"),
            ("a\\n", "a\\\\n"),
            ("\r\n\t", "\\r\\n\\t"),
        ])
    func escaping(text: String, expected: String) {
        #expect(text.escapingControls().utf8.elementsEqual(expected.utf8))
    }
}

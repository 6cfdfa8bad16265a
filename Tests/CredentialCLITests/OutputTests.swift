import Glibc
import Testing

@Suite(.timeLimit(.minutes(2)))
struct OutputTests {
    private static let printing = ["get a", "list", "dump", "verify", "verify --json", "doctor", "help", "--version"]

    private func filled() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.run("set", "a", input: [UInt8](repeating: 65, count: 100_000))
        return sandbox
    }

    @Test("a full standard output is exit 11", arguments: printing)
    func full(command: String) throws {
        let outcome = try filled().shell("\"$credstore\" \(command) > /dev/full")
        #expect(outcome.exit == 11)
        if command.contains("--json") {
            #expect(outcome.error == errorJSON("outputFull", "noSpace", errno: Int(ENOSPC), exit: 11))
        } else {
            expectOneSentence(outcome)
        }
    }

    @Test("a closed standard output is exit 5, and reaches no file of the store", arguments: printing)
    func closed(command: String) throws {
        let sandbox = try filled()
        let before = try sandbox.snapshot()
        let outcome = try sandbox.shell("\"$credstore\" \(command) >&-")
        #expect(outcome.exit == 5)
        if command.contains("--json") {
            #expect(outcome.error == errorJSON("outputFailed", "ioError", errno: Int(EBADF), exit: 5))
        } else {
            expectOneSentence(outcome)
        }
        #expect(try sandbox.snapshot() == before)
    }

    @Test(
        "a change that was made is called so where its answer cannot be written",
        arguments: [
            ("> /dev/full", Int32(11), "outputFull", "noSpace", ENOSPC), (">&-", 5, "outputFailed", "ioError", EBADF),
        ])
    func changes(output: String, exit: Int32, cause: String, category: String, number: Int32) throws {
        let sandbox = try filled()
        let others = (1...2).map { sandbox.path("\($0).key") }
        let commands = [
            ("key add key-file '\(others[0])'", "1  key-file\n2  key-file\n"),
            ("key change 2 key-file '\(others[1])'", "1  key-file\n2  key-file\n"),
            ("reset --yes", "1  key-file\n"),
        ]
        for (command, slots) in commands {
            let outcome = try sandbox.shell("\"$credstore\" \(command) \(output)")
            #expect(outcome.exit == exit)
            expectOneSentence(outcome)
            #expect(outcome.error.hasPrefix("credstore: It was done, but the output"))
            #expect(try sandbox.run("key", "list").text == slots)
        }
        #expect(try sandbox.run("list").out.isEmpty)
        for key in others { #expect(try bytes(ofFile: key).count == 32) }
        let outcome = try sandbox.shell("\"$credstore\" --json reset --yes \(output)")
        #expect(outcome.error == errorJSON(cause, category, errno: Int(number), exit: exit))
        #expect(unsafe access(sandbox.vault + ".old-2", F_OK) == 0)
    }

    @Test("a reader that went away before a change was answered does not keep the change quiet")
    func changeBehindPipe() throws {
        let sandbox = try filled()
        let (key, pipe) = (sandbox.path("key"), sandbox.path("pipe"))
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let outcome = try sandbox.shell(
            "{ : <'\(pipe)'; } & exec 3>'\(pipe)'; wait; \"$credstore\" key add key-file '\(key)' >&3")
        #expect(outcome.exit == 5)
        expectOneSentence(outcome)
        #expect(outcome.error.hasPrefix("credstore: It was done, but the output"))
        #expect(try bytes(ofFile: key).count == 32)
    }

    @Test("a reader that has seen enough is no error to report")
    func head() throws {
        let sandbox = try filled()
        try sandbox.run("set", "large", input: [UInt8](repeating: 66, count: 1_000_000))
        for ignoring in ["", "trap '' PIPE; "] {
            let outcome = try sandbox.shell("\(ignoring){ \"$credstore\" get large; echo $? >&2; } | head -c 3")
            #expect(outcome.text == "BBB")
            #expect(outcome.error == "141\n")
        }
    }

    @Test("an empty value finds a closed standard output too")
    func closedForNothing() throws {
        let sandbox = try filled()
        #expect(try sandbox.run("set", "empty", input: []).exit == 0)
        #expect(try sandbox.shell("\"$credstore\" get empty >&-").exit == 5)
        #expect(try sandbox.shell("\"$credstore\" get empty").exit == 0)
    }

    @Test("a closed standard error changes nothing else", arguments: [("get a", 0), ("get b", 3), ("nonsense", 2)])
    func closedError(command: String, exit: Int32) throws {
        let sandbox = try filled()
        let before = try sandbox.snapshot()
        #expect(try sandbox.shell("\"$credstore\" \(command) 2>&-").exit == exit)
        #expect(try sandbox.shell("\"$credstore\" \(command) 2>/dev/full").exit == exit)
        #expect(try sandbox.shell("\"$credstore\" -v \(command) 0<&- 2>&-").exit == exit)
        #expect(try sandbox.snapshot() == before)
    }

    @Test("set works with its outputs closed, and refuses a closed or unreadable input")
    func closedInput() throws {
        let sandbox = try filled()
        #expect(try sandbox.shell("printf x | \"$credstore\" set b >&- 2>&-").exit == 0)
        #expect(try sandbox.run("get", "b").text == "x")
        for input in ["<&-", "< /", "0> \"$HOME/../file\""] {
            let outcome = try sandbox.shell("\"$credstore\" set b \(input)")
            #expect(outcome.exit == 5)
            expectOneSentence(outcome)
        }
        #expect(try sandbox.run("get", "b").text == "x")
    }

    @Test("with all three descriptors closed nothing of the store is written to by mistake")
    func allClosed() throws {
        let sandbox = try filled()
        let before = try sandbox.snapshot()
        for command in Self.printing {
            #expect(try sandbox.shell("\"$credstore\" \(command) <&- >&- 2>&-").exit == 5)
        }
        #expect(try sandbox.shell("\"$credstore\" set c <&- >&- 2>&-").exit == 5)
        #expect(try sandbox.snapshot() == before)
    }

    @Test("a file-size limit on the output is exit 11")
    func sizeLimit() throws {
        let sandbox = try filled()
        let outcome = try sandbox.shell("ulimit -f 8; \"$credstore\" get a > \"$HOME/../file\"")
        #expect(outcome.exit == 11)
        expectOneSentence(outcome)
    }
}

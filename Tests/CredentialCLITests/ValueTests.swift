import CredentialStorage
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ValueTests {
    private static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    @Test("a piped value comes back byte for byte", arguments: [0, 1, 8191, 8192, 8193, 65536, 1_048_575, 1_048_576])
    func sizes(count: Int) throws {
        let sandbox = try Sandbox()
        let value = Self.pattern(count)
        #expect(try sandbox.run("set", "a", input: value).exit == 0)
        let outcome = try sandbox.run("get", "a")
        #expect(outcome.exit == 0)
        #expect(outcome.out == value)
        #expect(outcome.error.isEmpty)
    }

    @Test("a value comes through real pipes in small pieces")
    func pipes() throws {
        let sandbox = try Sandbox()
        let value = Self.pattern(8193)
        try write(value, toFile: sandbox.path("value"))
        let line =
            "dd bs=7 if=\(sandbox.path("value")) 2>/dev/null | \"$credstore\" set a && \"$credstore\" get a | cat"
        #expect(try sandbox.shell(line).out == value)
    }

    @Test("one byte over the limit is refused before anything is made")
    func tooLarge() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.run("set", "a", input: Self.pattern(1_048_577))
        #expect(outcome.exit == 2)
        expectOneSentence(outcome)
        #expect(try sandbox.snapshot().isEmpty)
        // Endless input is not read to its end.
        #expect(try sandbox.shell("\"$credstore\" set a < /dev/zero").exit == 2)
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("newlines are neither added nor trimmed", arguments: ["pw", "pw\n", "pw\r\n", "\n", "pw\n\n", "\0\n"])
    func newlines(value: String) throws {
        let sandbox = try Sandbox()
        try sandbox.run("set", "a", input: Array(value.utf8))
        #expect(try sandbox.run("get", "a").out == Array(value.utf8))
    }

    @Test("a binary key goes from one entry to another through a pipe")
    func copy() throws {
        let sandbox = try Sandbox()
        let key = (0..<32).map { _ in UInt8.random(in: 0...255) }
        try sandbox.run("set", "a", input: key)
        #expect(try sandbox.shell("\"$credstore\" get a | \"$credstore\" set b").exit == 0)
        #expect(try sandbox.run("get", "b").out == key)
    }

    @Test("an empty value is a value: it is listed, read, replaced and removed")
    func empty() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.run("set", "a", input: []).exit == 0)
        #expect(try sandbox.run("list").text == "a\n")
        let empty = try sandbox.run("get", "a")
        #expect(empty.exit == 0)
        #expect(empty.out.isEmpty)
        #expect(try sandbox.run("set", "a", input: [1]).exit == 0)
        #expect(try sandbox.run("set", "a", input: []).exit == 0)
        #expect(try sandbox.run("get", "a").out.isEmpty)
        #expect(try sandbox.run("delete", "a").exit == 0)
        #expect(try sandbox.run("get", "a").exit == 3)
    }

    @Test(
        "any name of 1 to 1024 bytes works, and none becomes a path",
        arguments: [
            "a", "a/b", "/etc/passwd", "..", "../../x", ".", "https://u@example.org:8443/x?y#z", "two\nlines",
            "tab\there",
            "\u{1F511}", "\u{E9}", "e\u{301}", "-", " ", "*", "\\", "\u{7F}\u{9B}", String(repeating: "n", count: 1024),
            String(repeating: "\u{E9}", count: 512),
        ])
    func names(name: String) throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.run("set", "--", name, input: [7]).exit == 0)
        #expect(try sandbox.run("get", "--", name).out == [7])
        #expect(try sandbox.run("list").out == Array(name.utf8) + [10])
        #expect(try sandbox.run("list", "--json").json() == .array([.string(name)]))
        let files = try sandbox.snapshot().map { $0.split(separator: " ")[0].split(separator: "/").last }
        #expect(
            Set(files) == [
                ".config", "credstore", "vault.key", ".local", "share", "credentials.vault", "credentials.vault.lock",
                "credentials.choice",
            ])
        #expect(try sandbox.run("delete", "--", name).exit == 0)
        #expect(try sandbox.run("delete", "--", name).exit == 3)
    }

    @Test(
        "a name that cannot be is refused by every command, and the input is not even read",
        arguments: [
            [], Array(repeating: UInt8(ascii: "n"), count: 1025), [0xFF], [0xC3], Array(repeating: 0x80, count: 4096),
        ])
    func badNames(name: [UInt8]) throws {
        let sandbox = try Sandbox()
        for command in ["set", "get", "delete"] {
            let outcome = try sandbox.run(raw: [Array(command.utf8), name])
            #expect(outcome.exit == 2)
            expectOneSentence(outcome, without: "nnn")
            let json = try sandbox.run(raw: ["--json", command].map { Array($0.utf8) } + [name])
            #expect(json.error == errorJSON("invalidEntryKey", exit: 2))
        }
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("both forms of an accented letter are two entries everywhere")
    func accents() throws {
        let sandbox = try Sandbox()
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        try sandbox.run("set", composed, input: [1])
        try sandbox.run("set", decomposed, input: [2])
        #expect(try sandbox.run("get", composed).out == [1])
        #expect(try sandbox.run("get", decomposed).out == [2])
        #expect(try sandbox.run("list").out == Array("\(decomposed)\n\(composed)\n".utf8))
        let dump = try sandbox.run("dump")
        #expect(dump.exit == 0)
        let expected = #"{"entries":{"\#(decomposed)":"Ag==","\#(composed)":"AQ=="},"omitted":[]}"# + "\n"
        #expect(dump.out == Array(expected.utf8))
        #expect(try sandbox.run("delete", composed).exit == 0)
        #expect(try sandbox.run("list").out == Array("\(decomposed)\n".utf8))
    }

    @Test("exit 0 of set means that a new process reads the value")
    func confirmed() throws {
        let sandbox = try Sandbox()
        for number in 0..<20 {
            #expect(try sandbox.run("set", "a\(number)", input: [UInt8(number)]).exit == 0)
            #expect(try sandbox.run("get", "a\(number)").out == [UInt8(number)])
        }
        let names = (0..<20).map { "a\($0)" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try sandbox.run("list").text == names.map { "\($0)\n" }.joined())
    }

    @Test("before there is a vault, get is 3 and list and dump are empty, and nothing is made")
    func noVault() throws {
        let sandbox = try Sandbox()
        let get = try sandbox.run("get", "secret-name")
        #expect(get.exit == 3)
        expectOneSentence(get, without: "secret-name")
        #expect(try sandbox.run("get", "a", "--json").error == errorJSON("absent", exit: 3))
        #expect(try sandbox.run("delete", "a").exit == 3)
        #expect(try sandbox.run("list").exit == 0)
        #expect(try sandbox.run("list").out.isEmpty)
        #expect(try sandbox.run("list", "--json").text == "[]\n")
        let dump = try sandbox.run("dump")
        #expect(dump.exit == 0)
        #expect(dump.text == #"{"entries":{},"omitted":[]}"# + "\n")
        #expect(try sandbox.run("verify").exit == 3)
        #expect(try sandbox.snapshot().isEmpty)
    }
}

import Testing

@testable import CredentialCLI

struct ArgumentsTests {
    @Test(
        "options stand before or after the command, and -- ends them",
        arguments: [
            (["get", "a"], "get", ["a"]),
            (["--service", "x", "get", "a"], "get", ["a"]),
            (["get", "--service", "x", "a"], "get", ["a"]),
            (["get", "a", "--service", "x"], "get", ["a"]),
            (["--service=x", "get", "a"], "get", ["a"]),
            (["get", "--", "--json"], "get", ["--json"]),
            (["--", "get", "-v"], "get", ["-v"]),
            (["get", "-"], "get", ["-"]),
            (["get", ""], "get", [""]),
            (["--path", "-x", "list"], "list", []),
            (["-v", "-v", "--json", "--json", "list"], "list", []),
            (["list", "--"], "list", []),
            (["get", "--", "--"], "get", ["--"]),
        ])
    func goodLines(words: [String], command: String, operands: [String]) throws {
        let arguments = try Arguments(parsing: words)
        #expect(try arguments.command()?.name == command)
        #expect(arguments.operands == operands)
    }

    @Test(
        "a line that makes no sense is a usage error",
        arguments: [
            ["--nonsense", "list"], ["-x", "list"], ["list", "--service"], ["--service", "", "list"],
            ["--path=", "list"],
            ["--json=yes", "list"], ["--backend", "memory", "list"], ["--service", "a", "--service", "b", "list"],
            ["--key-file", "a", "--passphrase-file", "b", "list"], ["--passphrase-fd", "3", "--key-file", "a", "list"],
            ["--passphrase-fd", "x", "list"], ["--passphrase-fd", "-1", "list"], ["--passphrase-fd", "+1", "list"],
            ["--passphrase-fd", "99999999999", "list"], ["--prompt", "--no-prompt", "list"], ["-vv", "list"],
            ["--no-such-option", "x", "list"], ["--yes", "list"], ["key", "--yes", "list"], ["repair", "--master"],
            ["set", "--new-passphrase-file", "x"], ["--Json", "list"], ["--service\u{301}", "x", "list"],
        ])
    func badLines(words: [String]) {
        let failure = #expect(throws: Failure.self) { try Arguments(parsing: words) }
        #expect(failure?.exitCode == 2)
        #expect(failure?.cause == "usage")
    }

    @Test(
        "commands that come later are not accepted silently",
        arguments: [
            "migrate", "export", "import", "git-credential",
            "docker-credential",
            "GET", "get\u{301}", "",
        ])
    func unknownCommands(word: String) throws {
        let arguments = try Arguments(parsing: [word])
        let failure = #expect(throws: Failure.self) { try arguments.command() }
        #expect(failure?.exitCode == 2)
    }

    @Test("every option reaches its member")
    func options() throws {
        let options = try Arguments(parsing: [
            "--backend", "file", "--service", "s", "--path", "p", "--key-file", "k", "--no-prompt", "--json", "-v",
            "list",
        ]).options
        #expect(options.backend == "file")
        #expect(options.service == "s")
        #expect(options.path == "p")
        #expect(options.key == .file("k"))
        #expect(options.prompts == .never)
        #expect(options.isJSON && options.isVerbose)
        #expect(try Arguments(parsing: ["--group", "g"]).options.group == "g")
        #expect(try Arguments(parsing: ["--passphrase-file", "f"]).options.key == .passphraseFile("f"))
        #expect(try Arguments(parsing: ["--passphrase-fd", "7"]).options.key == .passphraseDescriptor(7))
        #expect(try Arguments(parsing: ["--prompt"]).options.prompts == .allowed)
    }

    @Test("a word that is not UTF-8 is kept apart, never repaired")
    func invalidWords() throws {
        #expect(try Arguments(parsing: ["get", nil]).operands == [nil])
        #expect(throws: Failure.self) { try Arguments(parsing: ["--path", nil]) }
        #expect(throws: Failure.self) { try Arguments(parsing: [nil]).command() }
    }

    @Test("errors are JSON where --json stands before the end of the options")
    func wantsJSON() {
        #expect(Arguments.wantsJSON(["--bogus", "--json"]))
        #expect(!Arguments.wantsJSON(["get", "--", "--json"]))
    }
}

import FoundationEssentials
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5)))
struct KeyTests {
    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("the first set makes a vault and the default key, both private whatever the umask")
    func firstSet() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.shell("umask 000; printf x | \"$credstore\" set a").exit == 0)
        #expect(try bytes(ofFile: sandbox.keyFile).count == 32)
        for file in [sandbox.keyFile, sandbox.vault, sandbox.vault + ".lock"] { #expect(Self.mode(file) == 0o600) }
        for directory in [".config", ".config/credstore", ".local", ".local/share", ".local/share/credstore"] {
            #expect(Self.mode("\(sandbox.home)/\(directory)") == 0o700)
        }
    }

    @Test("init makes an empty vault once")
    func initialize() throws {
        let sandbox = try Sandbox()
        let first = try sandbox.run("init")
        #expect(first.exit == 0)
        #expect(first.out.isEmpty && first.error.isEmpty)
        #expect(try sandbox.run("list").exit == 0)
        #expect(try sandbox.run("verify").exit == 0)
        let before = try sandbox.snapshot()
        let second = try sandbox.run("init")
        #expect(second.exit == 10)
        #expect(second.error == "credstore: There is a vault already; nothing was changed.\n")
        #expect(try sandbox.run("init", "--json").error == errorJSON("conflict", exit: 10))
        #expect(try sandbox.snapshot() == before)
    }

    @Test("a named key file is made by init only")
    func namedKeyFile() throws {
        let sandbox = try Sandbox()
        let key = sandbox.path("key")
        let set = try sandbox.run("--key-file", key, "set", "a", input: [1])
        #expect(set.exit == 5)
        expectOneSentence(set, without: key)
        #expect(unsafe access(key, F_OK) != 0)
        #expect(unsafe access(sandbox.vault, F_OK) != 0)
        #expect(try sandbox.run("--key-file", key, "init").exit == 0)
        #expect(try bytes(ofFile: key).count == 32)
        #expect(Self.mode(key) == 0o600)
        #expect(try sandbox.run("--key-file", key, "set", "a", input: [1]).exit == 0)
        #expect(try sandbox.run("get", "a", "--key-file", key).out == [1])
        // The default key is neither used nor made for it.
        #expect(try sandbox.run("get", "a").exit == 5)
        #expect(unsafe access(sandbox.keyFile, F_OK) != 0)
    }

    @Test("no key is ever made for a vault that exists")
    func lostKey() throws {
        let sandbox = try Sandbox()
        try sandbox.run("set", "a", input: [1])
        #expect(unsafe unlink(sandbox.keyFile) == 0)
        let before = try sandbox.snapshot()
        for command in [["get", "a"], ["get", "b"], ["list"], ["dump"], ["delete", "a"], ["set", "a"], ["verify"]] {
            let outcome = try sandbox.run(raw: (["--json"] + command).map { Array($0.utf8) }, input: [2])
            #expect(outcome.exit == 5, "\(command)")
            #expect(outcome.error.contains(#""category":"keySourceMissing""#), "\(command)")
        }
        #expect(try sandbox.run("doctor").exit == 0)
        #expect(try sandbox.snapshot() == before)
    }

    @Test("another key is told apart from damage")
    func wrongKeyFile() throws {
        let sandbox = try Sandbox()
        try sandbox.run("set", "a", input: [1])
        let key = sandbox.path("key")
        try write([UInt8](repeating: 9, count: 32), toFile: key)
        let outcome = try sandbox.run("--key-file", key, "get", "a")
        #expect(outcome.exit == 8)
        expectOneSentence(outcome)
        #expect(try sandbox.run("--key-file", key, "--json", "list").error == errorJSON("wrongKey", exit: 8))
        // A key that is not one.
        try write([UInt8](repeating: 9, count: 31), toFile: key)
        #expect(try sandbox.run("--key-file", key, "get", "a").exit == 5)
        unsafe chmod(key, 0o644)
        #expect(try sandbox.run("--key-file", key, "get", "a").exit == 6)
        #expect(try sandbox.run("--key-file", sandbox.root, "get", "a").exit == 5)
    }

    @Test("a passphrase opens the vault from a file and from a descriptor, without one newline at its end")
    func passphrase() throws {
        let sandbox = try Sandbox()
        let file = sandbox.path("passphrase")
        try write(Array("correct horse\n".utf8), toFile: file)
        #expect(try sandbox.run("--passphrase-file", file, "init").exit == 0)
        #expect(unsafe access(sandbox.keyFile, F_OK) != 0)
        #expect(try sandbox.run("--passphrase-file", file, "set", "a", input: [1]).exit == 0)
        #expect(try sandbox.shell("\"$credstore\" --passphrase-fd 7 get a 7< '\(file)'").out == [1])
        #expect(try sandbox.shell("printf 'correct horse' | \"$credstore\" --passphrase-fd 0 get a").out == [1])
        #expect(
            try sandbox.shell("printf 'correct horse' | \"$credstore\" --passphrase-file /dev/stdin get a").out == [1])

        for other in ["correct horse\n\n", "correct horse\r\n", " correct horse", "wrong"] {
            try write(Array(other.utf8), toFile: file)
            let outcome = try sandbox.run("--passphrase-file", file, "get", "a")
            #expect(outcome.exit == 8)
            expectOneSentence(outcome, without: "horse")
        }
    }

    @Test("a passphrase that cannot be had is not a wrong one")
    func noPassphrase() throws {
        let sandbox = try Sandbox()
        let file = sandbox.path("passphrase")
        try write(Array("p".utf8), toFile: file)
        #expect(try sandbox.run("--passphrase-file", file, "init").exit == 0)
        let missing = try sandbox.run("--json", "--passphrase-file", "/nonexistent/x", "get", "a")
        #expect(missing.error == errorJSON("unavailable", "keySourceMissing", errno: 2, exit: 5))
        let closed = try sandbox.shell("\"$credstore\" --json --passphrase-fd 9 get a 9<&-")
        #expect(closed.error == errorJSON("unavailable", "keySourceUnavailable", errno: 9, exit: 5))
        let directory = try sandbox.run("--json", "--passphrase-file", sandbox.root, "get", "a")
        #expect(directory.error == errorJSON("unavailable", "keySourceUnavailable", errno: 21, exit: 5))
        for content in [[], [UInt8(ascii: "\n")], [UInt8](repeating: 65, count: 1_048_577)] {
            try write(content, toFile: file)
            #expect(try sandbox.run("--passphrase-file", file, "get", "a").exit == 5)
        }
        // Nothing is named, and there is no terminal to ask on.
        let unnamed = try sandbox.run("--json", "--no-prompt", "get", "a")
        #expect(unnamed.error == errorJSON("unavailable", "keySourceMissing", exit: 5))
        let session = try sandbox.run(raw: ["--json", "get", "a"].map { Array($0.utf8) }) { $0.ownSession = true }
        #expect(session.error == errorJSON("unavailable", "keySourceMissing", exit: 5))
        #expect(unsafe access(sandbox.keyFile, F_OK) != 0)
    }

    @Test("a passphrase may have as many bytes as the limit says, the newline at its end not counted")
    func longestPassphrase() throws {
        let sandbox = try Sandbox()
        let (longest, longer) = (sandbox.path("longest"), sandbox.path("longer"))
        let letters = [UInt8](repeating: 65, count: 1 << 20)
        try write(letters + [UInt8(ascii: "\n")], toFile: longest)
        try write(letters + [65, UInt8(ascii: "\n")], toFile: longer)
        #expect(try sandbox.run("--passphrase-file", longest, "set", "a", input: [1]).exit == 0)
        #expect(try sandbox.run("--passphrase-file", longest, "get", "a").out == [1])
        #expect(try sandbox.shell("head -c 1048576 '\(longest)' | \"$credstore\" --passphrase-fd 0 get a").out == [1])
        let refused = try sandbox.run("--json", "--passphrase-file", longer, "get", "a")
        #expect(refused.error == errorJSON("unavailable", "keySourceUnavailable", errno: 27, exit: 5))
    }

    @Test("a passphrase file of another user is access denied")
    func deniedPassphrase() throws {
        let sandbox = try Sandbox(asOrdinaryUser: true)
        let file = "\(sandbox.home)/passphrase"
        try write(Array("p".utf8), toFile: file, mode: 0)
        try sandbox.give(file)
        let outcome = try sandbox.run("--json", "--passphrase-file", file, "init")
        #expect(outcome.error == errorJSON("unavailable", "accessDenied", errno: 13, exit: 6))
    }

    @Test("standard input gives the value or the passphrase, not both")
    func oneInput() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.run("--passphrase-fd", "0", "set", "a", input: [65])
        #expect(outcome.exit == 2)
        expectOneSentence(outcome)
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("a vault that asks for too much work is refused quickly")
    func hostileParameters() throws {
        let sandbox = try Sandbox()
        let file = sandbox.path("passphrase")
        try write(Array("p".utf8), toFile: file)
        #expect(try sandbox.run("--passphrase-file", file, "init").exit == 0)
        // The first slot's passes and KiB.
        for (passes, kibibytes) in [(UInt32.max, 65536), (3, UInt32.max), (0, 65536), (1, 8)] as [(UInt32, UInt32)] {
            try sandbox.editHeaders { header in
                let slot = header.startIndex + 160
                for byte in 0..<4 {
                    header[slot + 8 + byte] = UInt8(truncatingIfNeeded: passes >> (8 * UInt32(byte)))
                    header[slot + 12 + byte] = UInt8(truncatingIfNeeded: kibibytes >> (8 * UInt32(byte)))
                }
            }
            let start = ContinuousClock.now
            let outcome = try sandbox.run("--passphrase-file", file, "--json", "get", "a")
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(outcome.error == errorJSON("parametersOutOfRange", exit: 7))
        }
    }
}

import CredentialStorage
import FoundationEssentials
import Glibc
import Testing

/// Places that are none, and what stands where a vault should.
@Suite(.timeLimit(.minutes(3)))
struct RefusalTests {
    @Test("a path and a group exclude each other, and nothing is made")
    func pathAndGroup() throws {
        let sandbox = try Sandbox()
        let file = "\(sandbox.home)/vault"
        for words in [["--path", file, "--group", "suite"], ["--group=suite", "--path=\(file)"]] {
            for command in [["set", "a"], ["get", "a"], ["init"], ["doctor"]] {
                let outcome = try sandbox.run(raw: (words + command).map { Array($0.utf8) }, input: [1])
                #expect(outcome.exit == 2)
                expectOneSentence(outcome, without: "suite")
            }
        }
        #expect(try sandbox.snapshot().isEmpty)
        #expect(try sandbox.run("--path", file, "--service", "x", "set", "a", input: [1]).exit == 0)
    }

    @Test("the group and the service of one name are one store, as the help says")
    func groupAndService() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.run("--service", "suite", "set", "a", input: [1]).exit == 0)
        #expect(try sandbox.run("--group", "suite", "get", "a").out == [1])
        #expect(try sandbox.run("--group", "suite", "--service", "other", "get", "a").out == [1])
        #expect(try sandbox.run("--service", "other", "get", "a").exit == 3)
        let help = try sandbox.run("help").text
        #expect(help.contains("which is that of the service of the same name"))
    }

    @Test("init says of what is no vault that it is none, and of a vault that it is there")
    func initialize() throws {
        let sandbox = try Sandbox()
        let place = sandbox.path("vault")
        let words = ["--json", "--path", place, "--key-file", "\(sandbox.home)/key", "init"].map { Array($0.utf8) }
        func expect(_ error: String, _ what: String) throws {
            let outcome = try sandbox.run(raw: words)
            #expect(outcome.error == error, "\(what)")
            #expect(unsafe access("\(sandbox.home)/key", F_OK) != 0, "\(what)")
        }
        let notAStore = errorJSON("notAStore", exit: 7)
        unsafe mkfifo(place, 0o600)
        try expect(notAStore, "FIFO")
        unsafe unlink(place)
        unsafe mkdir(place, 0o700)
        try expect(notAStore, "directory")
        unsafe rmdir(place)
        try write(Array("#!/bin/sh\n".utf8), toFile: place)
        try expect(notAStore, "script")
        #expect(try bytes(ofFile: place) == Array("#!/bin/sh\n".utf8))
        unsafe unlink(place)
        unsafe mkdir(place + ".new", 0o700)
        try expect(errorJSON("conflict", exit: 10), "in the way")
        let occupied = try sandbox.run("--path", place, "init")
        #expect(occupied.error.hasPrefix("credstore: Something stands where the vault is written before"))
        unsafe rmdir(place + ".new")
        #expect(try sandbox.run("--path", place, "set", "a", input: [1]).exit == 0)
        try expect(errorJSON("conflict", exit: 10), "vault")
    }

    @Test("a name that is too long for its companion is refused before a key is made")
    func longName() throws {
        let sandbox = try Sandbox()
        let long = "\(sandbox.home)/\(String(repeating: "v", count: 251))"
        let tooLong = "credstore: The name or the path of the vault is too long"
        // Too long only for what is kept aside.
        let longer = "\(sandbox.home)/\(String(repeating: "v", count: 246))"
        for command in ["set", "init"] {
            let words = ["--path", longer, command] + (command == "set" ? ["a"] : [])
            let outcome = try sandbox.run(raw: words.map { Array($0.utf8) }, input: [1])
            #expect(outcome.exit == 5 && outcome.error.hasPrefix(tooLong))
        }
        for command in [["set", "a"], ["get", "a"], ["init"]] {
            let outcome = try sandbox.run(
                raw: (["--json", "--path", long] + command).map { Array($0.utf8) }, input: [1])
            #expect(outcome.error == errorJSON("unavailable", "noStorageLocation", errno: 36, exit: 5))
        }
        #expect(try sandbox.snapshot().isEmpty)
        let fitting = "\(sandbox.home)/\(String(repeating: "v", count: 245))"
        #expect(try sandbox.run("--path", fitting, "set", "a", input: [1]).exit == 0)
        // A vault that was given such a name by hand is read, and keeps nothing aside.
        for suffix in ["", ".lock"] { #expect(unsafe rename(fitting + suffix, longer + suffix) == 0) }
        #expect(try sandbox.run("--path", longer, "get", "a").out == [1])
        let outcome = try sandbox.run("--path", longer, "reset", "--yes")
        #expect(outcome.exit == 5 && outcome.error.hasPrefix(tooLong))
        #expect(try sandbox.run("--path", longer, "get", "a").out == [1])
    }

    @Test("a first set that fails leaves nothing")
    func failedSet() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.run("--key-file", "/nonexistent/key", "set", "a", input: [1]).exit == 5)
        #expect(try sandbox.run("--passphrase-file", "/nonexistent/p", "set", "a", input: [1]).exit == 5)
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("a vault that can be read and not written is called so by doctor, and read")
    func readOnly() throws {
        let sandbox = try Sandbox(asOrdinaryUser: true)
        #expect(try sandbox.run("set", "a", input: [1]).exit == 0)
        unsafe chmod(sandbox.vault, 0o400)
        let text = try sandbox.run("doctor")
        #expect(text.exit == 0)
        #expect(text.text.contains("file: readable, not writable (readOnly): "))
        #expect(!text.text.contains("file: not usable"))
        let file = try #require(
            try sandbox.run("doctor", "--json").json()["backends"]?.array?.first { $0["name"] == .string("file") })
        #expect(file["readable"] == .bool(true))
        #expect(file["usable"] == .bool(false))
        #expect(try sandbox.run("get", "a").out == [1])
        unsafe chmod(sandbox.keyFile, 0o644)
        #expect(try sandbox.run("doctor").text.contains("file: not usable (insecurePermissions): "))
    }

    @Test("verify counts entries and frames apart")
    func counts() throws {
        let sandbox = try Sandbox()
        for name in ["a", "b", "c", "a"] { try sandbox.run("set", name, input: [1]) }
        #expect(try sandbox.run("delete", "c").exit == 0)
        try sandbox.damage(try sandbox.frames()[1])
        let text = try sandbox.run("verify")
        #expect(text.exit == 12)
        for line in ["entries      1 open, 1 damaged", "lost         0", "frames       5, 1 damaged"] {
            #expect(text.text.contains(line + "\n"), "\(line)")
        }
        let json = try sandbox.run("verify", "--json").json()
        #expect(json["entries"]?.number == "1" && json["damagedEntries"]?.number == "1")
        #expect(json["damaged"]?.number == "1" && json["lost"]?.number == "0")
    }
}

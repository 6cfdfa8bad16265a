import FoundationEssentials
import Glibc
import Testing

/// Where the store may be, and what is refused; all as an ordinary user, because modes mean nothing to root.
@Suite(.timeLimit(.minutes(3)))
struct PlaceTests {
    private static func error(_ category: String) -> String { #""cause":"unavailable","category":"\#(category)""# }

    private func filled() throws -> Sandbox {
        let sandbox = try Sandbox(asOrdinaryUser: true)
        let outcome = try sandbox.run("set", "a", input: [UInt8(ascii: "x")])
        guard outcome.exit == 0 else { throw TestProblem(outcome.error) }
        return sandbox
    }

    @Test(
        "HOME unset, empty, relative, missing or another user's is no location",
        arguments: [
            nil, "", "home", "./", "/nonexistent", "/dev/null", "/usr",
        ])
    func homes(home: String?) throws {
        let sandbox = try Sandbox(asOrdinaryUser: true)
        for command in [["set", "a"], ["get", "a"], ["list"], ["init"]] {
            let outcome = try sandbox.run(
                raw: (command + ["--json"]).map { Array($0.utf8) }, input: [1], environment: ["HOME": home])
            #expect(outcome.exit == 5, "\(command)")
            #expect(outcome.error.contains(Self.error("noStorageLocation")), "\(command)")
        }
        let plain = try sandbox.run("list", environment: ["HOME": home])
        expectOneSentence(plain, without: "nonexistent")
        #expect(try sandbox.run("doctor", environment: ["HOME": home]).exit == 0)
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("a HOME that cannot be written is access denied for set, and get still answers")
    func readOnlyHome() throws {
        let sandbox = try Sandbox(asOrdinaryUser: true)
        unsafe chmod(sandbox.home, 0o500)
        let outcome = try sandbox.run("set", "a", "--json", input: [1])
        #expect(outcome.exit == 6)
        #expect(outcome.error.contains(Self.error("accessDenied")))
        #expect(try sandbox.run("get", "a").exit == 3)
    }

    @Test("the directories of the environment come before HOME")
    func variables() throws {
        let sandbox = try Sandbox(asOrdinaryUser: true)
        let (data, state) = ("\(sandbox.home)/data", "\(sandbox.home)/state")
        #expect(try sandbox.run("set", "a", input: [1], environment: ["XDG_DATA_HOME": data]).exit == 0)
        #expect(unsafe access("\(data)/credstore/credentials.vault", F_OK) == 0)
        unsafe mkdir(state, 0o700)
        try sandbox.give(state)
        #expect(try sandbox.run("set", "a", input: [1], environment: ["STATE_DIRECTORY": "\(state):/other"]).exit == 0)
        #expect(unsafe access("\(state)/credentials.vault", F_OK) == 0)
        #expect(try sandbox.run("--service", "other", "set", "a", input: [1]).exit == 0)
        #expect(unsafe access("\(sandbox.home)/.local/share/other/credentials.vault", F_OK) == 0)
        #expect(unsafe access("\(sandbox.home)/.config/other/vault.key", F_OK) == 0)
        #expect(try sandbox.run("--group", "suite", "set", "a", input: [1]).exit == 0)
        #expect(unsafe access("\(sandbox.home)/.local/share/suite/credentials.vault", F_OK) == 0)
        #expect(unsafe access(sandbox.vault, F_OK) != 0)
    }

    @Test("--path names the file itself")
    func path() throws {
        let sandbox = try Sandbox(asOrdinaryUser: true)
        let file = "\(sandbox.home)/my vault"
        #expect(try sandbox.run("--path", file, "set", "a", input: [1]).exit == 0)
        #expect(try sandbox.run("get", "a", "--path", file).out == [1])
        #expect(unsafe access(file, F_OK) == 0)
        #expect(unsafe access(sandbox.vault, F_OK) != 0)
        #expect(try sandbox.run("get", "a").exit == 3)
        #expect(try sandbox.run("verify", "--path", file).exit == 0)
    }

    @Test(
        "services and groups that could leave their place are refused",
        arguments: [
            "..", ".", "a/b", "/a", "-a", "\u{E9}", String(repeating: "s", count: 129), "a b",
        ])
    func services(name: String) throws {
        let sandbox = try Sandbox(asOrdinaryUser: true)
        for option in ["--service", "--group"] {
            let outcome = try sandbox.run(option, name, "set", "a", "--json", input: [1])
            #expect(outcome.exit == 2)
            #expect(outcome.error == errorJSON("invalidService", exit: 2))
        }
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("an open mode is refused for reading and writing, and removal stays possible")
    func openMode() throws {
        let sandbox = try filled()
        unsafe chmod(sandbox.vault, 0o644)
        for command in [["get", "a"], ["set", "a"], ["list"], ["dump"], ["verify"]] {
            let outcome = try sandbox.run(raw: command.map { Array($0.utf8) }, input: [2])
            #expect(outcome.exit == 6, "\(command)")
            #expect(outcome.out.isEmpty)
            expectOneSentence(outcome)
        }
        #expect(try sandbox.run("delete", "a").exit == 0)
        unsafe chmod(sandbox.vault, 0o600)
        #expect(try sandbox.run("get", "a").exit == 3)
    }

    @Test("a foreign file, a foreign directory and one that others can write are refused")
    func owners() throws {
        let sandbox = try filled()
        unsafe chmod(sandbox.dataDirectory, 0o777)
        for command in ["get", "set"] {
            let outcome = try sandbox.run(command, "a", "--json", input: [1])
            #expect(outcome.exit == 6)
            #expect(outcome.error.contains(Self.error("insecurePermissions")))
        }
        unsafe chmod(sandbox.dataDirectory, 0o700)
        #expect(try sandbox.run("get", "a").text == "x")
        guard geteuid() == 0 else { return }
        #expect(unsafe chown(sandbox.vault, 0, 0) == 0)
        unsafe chmod(sandbox.vault, 0o600)
        #expect(try sandbox.run("get", "a").exit == 6)
        unsafe chmod(sandbox.vault, 0o666)
        #expect(try sandbox.run("get", "a").exit == 6)
    }

    @Test("an unreadable vault is access denied, never an empty store")
    func unreadable() throws {
        let sandbox = try filled()
        unsafe chmod(sandbox.vault, 0)
        let before = try bytesAsOwner(sandbox)
        for command in [["get", "a"], ["list"], ["dump"], ["set", "a"]] {
            #expect(try sandbox.run(raw: command.map { Array($0.utf8) }, input: [2]).exit == 6, "\(command)")
        }
        #expect(try bytesAsOwner(sandbox) == before)
    }

    private func bytesAsOwner(_ sandbox: Sandbox) throws -> [UInt8] {
        unsafe chmod(sandbox.vault, 0o600)
        defer { unsafe chmod(sandbox.vault, 0) }
        return try bytes(ofFile: sandbox.vault)
    }

    @Test("a symbolic link in the vault's place is never followed", arguments: ["own", "foreign", "dangling"])
    func links(kind: String) throws {
        let sandbox = try filled()
        let target = kind == "own" ? "\(sandbox.home)/elsewhere" : kind == "foreign" ? "/etc/passwd" : "/nonexistent/x"
        if kind == "own" { #expect(unsafe rename(sandbox.vault, target) == 0) } else { unsafe unlink(sandbox.vault) }
        #expect(unsafe symlink(target, sandbox.vault) == 0)
        for command in [["get", "a"], ["set", "a"], ["list"], ["init"]] {
            let outcome = try sandbox.run(raw: command.map { Array($0.utf8) }, input: [2])
            #expect(outcome.exit == 6 || (command == ["init"] && outcome.exit == 10), "\(command)")
            expectOneSentence(outcome)
        }
    }

    @Test("a store that another program keeps locked is exit 9")
    func busy() throws {
        let sandbox = try filled()
        let line = "flock '\(sandbox.vault)' \"$credstore\" set a --json < /dev/null"
        let outcome = try sandbox.shell(line)
        #expect(outcome.exit == 9)
        #expect(outcome.error.contains(Self.error("lockTimedOut")))
        #expect(try sandbox.run("get", "a").text == "x")
    }

    @Test("a file-size limit is no space, and the old contents stay")
    func sizeLimit() throws {
        let sandbox = try filled()
        try write([UInt8](repeating: 65, count: 500_000), toFile: sandbox.path("value"), mode: 0o644)
        let outcome = try sandbox.shell("ulimit -f 200; \"$credstore\" set a < '\(sandbox.path("value"))'")
        #expect(outcome.exit == 11)
        expectOneSentence(outcome)
        #expect(try sandbox.run("get", "a").text == "x")
        #expect(try sandbox.run("verify").exit == 0)
    }

    @Test("a full and a read-only file system are exit 11", .enabled(if: canMount, "mounting is not allowed here"))
    func mounts() throws {
        let sandbox = try Sandbox()
        let line = """
            mount -t tmpfs -o size=256k,mode=700 none "$HOME" && cd "$HOME" || exit 99
            printf x | "$credstore" set a || exit 98
            head -c 900000 /dev/zero | "$credstore" set a; echo $?
            "$credstore" get a; echo; "$credstore" verify >/dev/null; echo $?
            mount -o remount,bind,ro "$HOME" || exit 97
            printf y | "$credstore" set a; echo $?
            "$credstore" get a; echo
            """
        let flags = geteuid() == 0 ? "-m" : "-rm"
        let outcome = try sandbox.shell("unshare \(flags) /bin/sh -c '\(line)'")
        #expect(outcome.text == "11\nx\n0\n11\nx\n")
        #expect(outcome.error.utf8.count { $0 == UInt8(ascii: "\n") } == 2)
    }

    private static let canMount: Bool = {
        let flags = geteuid() == 0 ? "-m" : "-rm"
        let line = "unshare \(flags) mount -t tmpfs none /mnt"
        return (try? Sandbox().shell(line).exit) == 0
    }()
}

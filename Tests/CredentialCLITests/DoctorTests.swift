import CredentialStorage
import FoundationEssentials
import Glibc
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DoctorTests {
    #if SecretService
        private static let withoutKeyring = "there is no keyring, and the policy names it next"
    #else
        private static let withoutKeyring = "this build knows no keyring, and the policy names it next"
    #endif

    private func report(
        _ sandbox: Sandbox, _ words: String..., environment: [String: String?] = [:]
    ) throws -> JSONValue {
        let words = (["doctor", "--json"] + words).map { Array($0.utf8) }
        let outcome = try sandbox.run(raw: words, environment: environment)
        #expect(outcome.exit == 0)
        #expect(outcome.error.isEmpty)
        return try outcome.json()
    }

    private func backend(_ name: String, in report: JSONValue) throws -> JSONValue {
        try #require(report["backends"]?.array?.first { $0["name"] == .string(name) })
    }

    @Test("without a vault the file backend is usable, nothing is made, and the rule is named")
    func fresh() throws {
        let sandbox = try Sandbox()
        let report = try report(sandbox)
        let file = try backend("file", in: report)
        #expect(file["usable"] == .bool(true))
        #expect(file["exists"] == .bool(false))
        #expect(file["path"] == .string(sandbox.vault))
        #expect(report["chosen"] == .string("file"))
        #expect(report["rule"] == .string(Self.withoutKeyring))
        #expect(report["coreDumps"] == .string("denied"))
        #expect(file["keyPath"] == .string(sandbox.keyFile))
        #expect(file["keyExists"] == .bool(false))
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("it says where the key is looked for, whatever the options")
    func keyPlace() throws {
        let sandbox = try Sandbox()
        let (vault, passphrase) = ("\(sandbox.home)/elsewhere", sandbox.path("passphrase"))
        func lines(_ words: String...) throws -> [Substring] {
            let outcome = try sandbox.run(raw: (words + ["doctor"]).map { Array($0.utf8) })
            #expect(outcome.exit == 0)
            return outcome.text.split(separator: "\n").filter { $0.hasPrefix("  key: ") }
        }
        #expect(try lines() == ["  key: \(sandbox.keyFile) (missing)"])
        // The key follows from the service, not from the path.
        let other = "\(sandbox.home)/.config/other/vault.key"
        #expect(try lines("--path", vault, "--service", "other") == ["  key: \(other) (missing)"])
        #expect(try lines("--group", "other") == ["  key: \(other) (missing)"])
        #expect(try lines("--key-file", "/nonexistent") == ["  key: /nonexistent (missing)"])
        #expect(try lines("--passphrase-file", passphrase) == ["  key: \(passphrase) (missing)"])
        try sandbox.run("set", "a", input: [1])
        #expect(try lines() == ["  key: \(sandbox.keyFile) (exists)"])
        #expect(try sandbox.run("doctor").text.contains("  key source: key-file\n"))
        #expect(try backend("file", in: report(sandbox))["keyBesideVault"] == .bool(false))
        // A named key may stand there, and who looks is told.
        let beside = "\(sandbox.dataDirectory)/../credstore/a.key"
        #expect(try sandbox.run("key", "add", "key-file", beside).exit == 0)
        #expect(
            try lines("--key-file", beside)
                == ["  key: \(beside) (exists, beside the vault: who copies the directory has both)"])
        #expect(
            try sandbox.run("--key-file", beside, "--json", "doctor").text.contains(#""keyBesideVault":true"#))

        try write([65], toFile: passphrase)
        #expect(try sandbox.run("--path", vault, "--passphrase-file", passphrase, "init").exit == 0)
        #expect(try lines("--path", vault) == ["  key: a passphrase, asked for on the terminal"])
        #expect(try lines("--path", vault, "--passphrase-file", passphrase) == ["  key: \(passphrase) (exists)"])
        let piped = try sandbox.shell("printf A | \"$credstore\" --path '\(vault)' --passphrase-fd 0 doctor")
        #expect(piped.text.contains("\n  key: a passphrase from descriptor 0\n"))
    }

    @Test("what is not private is named with what was found, and damage of entries is left to verify")
    func openPlaces() throws {
        let sandbox = try Sandbox(asOrdinaryUser: true)
        #expect(try sandbox.run("set", "a", input: [1]).exit == 0)
        for (path, mode, found) in [
            (sandbox.vault, 0o640, 0o600), (sandbox.keyFile, 0o604, 0o600), (sandbox.dataDirectory, 0o777, 0o700),
        ] as [(String, mode_t, mode_t)] {
            unsafe chmod(path, mode)
            let line = "  not private: \(path) (mode 0\(String(mode, radix: 8)))\n"
            #expect(try sandbox.run("doctor").text.contains(line))
            let file = try backend("file", in: try report(sandbox))
            #expect(file["notPrivate"]?.array?.count == 1)
            #expect(file["notPrivate"]?.array?.first?["path"] == .string(path))
            unsafe chmod(path, found)
        }
        try sandbox.damage(try sandbox.frames()[0])
        let text = try sandbox.run("doctor").text
        #expect(text.contains("file: usable\n"))
        #expect(text.contains("  checked: the header; \"credstore verify\" checks the entries\n"))
    }

    @Test("with a vault it tells the protection that was reached and changes nothing")
    func existing() throws {
        let sandbox = try Sandbox()
        try sandbox.run("set", "doctor-name", input: Array("doctor-value".utf8))
        let before = try sandbox.snapshot()
        let report = try report(sandbox)
        let file = try backend("file", in: report)
        #expect(file["usable"] == .bool(true))
        #expect(file["exists"] == .bool(true))
        #expect(file["slots"] == .array([.string("key-file")]))
        #expect(file["protection"]?["source"] == .string("keyFile"))
        #expect(file["protection"]?["device"] == .string("none"))
        #expect(try ["durable", "volatile"].contains(#require(file["protection"]?["durability"]?.string)))
        let text = try sandbox.run("doctor")
        #expect(text.exit == 0)
        #expect(text.text.contains("file: usable\n"))
        #expect(text.text.contains("chosen: file, because"))
        #expect(!text.text.contains("doctor-name") && !text.text.contains("doctor-value"))
        #expect(try sandbox.snapshot() == before)
    }

    #if !SecretService
        @Test("a backend that is not in this build is listed with the reason")
        func missingBackend() throws {
            let sandbox = try Sandbox()
            let service = try backend("secret-service", in: try report(sandbox, "--backend", "secret-service"))
            #expect(service["usable"] == .bool(false))
            #expect(service["cause"] == .string("unsupported"))
            for command in [["get", "a"], ["set", "a"], ["list"], ["dump"], ["init"], ["verify"], ["delete", "a"]] {
                let words = ["--backend", "secret-service"] + command
                let outcome = try sandbox.run(raw: words.map { Array($0.utf8) }, input: [1])
                #expect(outcome.exit == 2, "\(command)")
                expectOneSentence(outcome)
            }
            #expect(try sandbox.snapshot().isEmpty)
        }

        @Test("auto means the file, says why, and does not take it in the place of a keyring that was chosen before")
        func withoutKeyring() throws {
            let sandbox = try Sandbox()
            // There may be a keyring; this build cannot tell.
            let environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"] as [String: String?]
            #expect(try sandbox.run("set", "a", input: [1], environment: environment).exit == 0)
            let report = try report(sandbox, environment: environment)
            #expect(report["record"] == .string("file") && report["chosen"] == .string("file"))
            unsafe unlink(sandbox.vault)
            for choice in ["keyring-vault", "secret-service"] {
                try write(
                    Array("credential-storage choice 1 \(choice)\n".utf8),
                    toFile: "\(sandbox.dataDirectory)/credentials.choice")
                for line in ["get a", "set a"] {
                    let words = line.split(separator: " ").map { Array($0.utf8) }
                    let outcome = try sandbox.run(raw: words, input: [1], environment: environment)
                    #expect(outcome.exit == 2 && outcome.error.contains("not in this build"), "\(choice) \(line)")
                }
                #expect(unsafe access(sandbox.vault, F_OK) != 0)
            }
        }
    #endif

    @Test("an unusable file backend says why and what to do")
    func unusable() throws {
        let sandbox = try Sandbox(asOrdinaryUser: true)
        let nowhere = try backend("file", in: try report(sandbox, environment: ["HOME": nil]))
        #expect(nowhere["usable"] == .bool(false))
        #expect(nowhere["category"] == .string("noStorageLocation"))
        #expect(nowhere["path"] == .null)

        try sandbox.run("set", "a", input: [1])
        unsafe chmod(sandbox.vault, 0o644)
        let open = try backend("file", in: try report(sandbox))
        #expect(open["usable"] == .bool(false))
        #expect(open["category"] == .string("insecurePermissions"))
        unsafe chmod(sandbox.vault, 0o600)

        unsafe unlink(sandbox.keyFile)
        let keyless = try backend("file", in: try report(sandbox))
        #expect(keyless["usable"] == .bool(false))
        #expect(keyless["category"] == .string("keySourceMissing"))
        #expect(keyless["message"]?.string?.hasSuffix(".") == true)
    }

    @Test("an invalid service name is part of the report")
    func invalidService() throws {
        let file = try backend("file", in: try report(try Sandbox(), "--service", "../x"))
        #expect(file["usable"] == .bool(false))
        #expect(file["cause"] == .string("invalidService"))
    }
}

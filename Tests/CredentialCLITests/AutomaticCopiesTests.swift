#if SecretService
    import CredentialStorage
    import FoundationEssentials
    import Glibc
    import SecretServiceTestSupport
    import Testing

    @Suite("A vault in other hands", .serialized, .timeLimit(.minutes(5)))
    struct AutomaticCopiesTests {
        private let profile: Profile

        init() throws { profile = try Profile() }

        /// Copies files of one home to another.
        private func copy(_ paths: String..., to other: Profile) throws {
            for path in paths {
                let line =
                    "mkdir -m 700 -p $(dirname '\(other.sandbox.home)/\(path)') && "
                    + "cp -a '\(profile.sandbox.home)/\(path)' '\(other.sandbox.home)/\(path)'"
                #expect(try profile.sandbox.shell(line).exit == 0)
            }
        }

        private static let vault = ".local/share/credstore/credentials.vault"
        private static let record = ".local/share/credstore/credentials.choice"
        private static let key = ".config/credstore/vault.key"

        @Test(
            "a vault that came back without its key stays closed, and no key is made for it", arguments: [true, false])
        func withoutKey(hasRecord: Bool) throws {
            let keyring = try GnomeKeyring()
            try profile.run(keyring.bus, "set", "one", input: [1])
            let restored = try Profile()
            try copy(Self.vault, to: restored)
            if hasRecord { try copy(Self.record, to: restored) }
            try keyring.bus.deleteItems(["service": "credstore"])
            for words in [["get", "one"], ["list"], ["dump"], ["set", "two"], ["delete", "one"], ["verify"]] {
                let outcome = try restored.sandbox.run(
                    raw: (["--json"] + words).map { Array($0.utf8) }, input: [2],
                    environment: Profile.environment(keyring.bus))
                #expect(outcome.exit == 5 && outcome.category == "keySourceMissing", "\(words): \(outcome.error)")
            }
            #expect(try restored.run(keyring.bus, "get", "one").error.contains("The keyring has no key for this vault"))
            #expect(try keyring.bus.items(["service": "credstore"]).isEmpty && !restored.hasKeyFile)
            let report = try restored.run(keyring.bus, "doctor", "--json").json()
            let file = try #require(report["backends"]?.array?.first)
            #expect(file["category"] == .string("keySourceMissing") && file["usable"] == .bool(false))
            #expect(report["choice"] == .string("keyring-vault"))
            // Another machine has another keyring, and there is none without a bus.
            let elsewhere = try ScriptedProvider()
            #expect(try restored.run(elsewhere.bus, "--json", "get", "one").category == "keySourceMissing")
            #expect(try restored.run(nil, "--json", "get", "one").category == "noSessionBus")
            #expect(try elsewhere.items().isEmpty)
        }

        @Test("a vault whose key file was left behind stays closed, also where there is a keyring")
        func withoutKeyFile() throws {
            let keyring = try GnomeKeyring()
            try profile.run(nil, "set", "one", input: [1])
            let restored = try Profile()
            try copy(Self.vault, to: restored)
            for bus in [nil, keyring.bus] {
                #expect(try restored.run(bus, "--json", "get", "one").category == "keySourceMissing")
                #expect(try restored.run(bus, "--json", "set", "two", input: [2]).category == "keySourceMissing")
            }
            #expect(!restored.hasKeyFile)
            #expect(try keyring.bus.items(["service": "credstore"]).isEmpty)
            try copy(Self.key, to: restored)
            #expect(try restored.run(keyring.bus, "get", "one").out == [1])
        }

        /// Whether a file can be put over another for one process.
        private static let canCoverFiles = covers()

        private static func covers() -> Bool {
            let launch = Launch(
                program: "/usr/bin/unshare",
                arguments: ["--mount", "mount", "--bind", "/dev/null", "/etc/machine-id"].map { Array($0.utf8) },
                environment: [], output: .file("/dev/null", O_WRONLY), error: .file("/dev/null", O_WRONLY))
            guard let process = try? launch.start() else { return false }
            return (try? exitCode(of: process)) == 0
        }

        @Test(
            "a copy that is bound to its machine does not open on another one, with its key neither",
            .enabled(if: AutomaticCopiesTests.canCoverFiles, "this user may not give a process another machine id"))
        func otherMachine() throws {
            try profile.run(nil, "set", "one", input: [1])
            let unbound = try Profile()
            try copy(Self.vault, Self.record, Self.key, to: unbound)
            #expect(try profile.run(nil, "key", "add", "machine").exit == 0)
            #expect(try profile.run(nil, "key", "remove", "1").exit == 0)
            let bound = try Profile()
            try copy(Self.vault, Self.record, Self.key, to: bound)
            #expect(try bound.run(nil, "get", "one").out == [1])

            let id = profile.sandbox.path("machine-id")
            try write(Array("0123456789abcdef0123456789abcdef\n".utf8), toFile: id, mode: 0o644)
            func elsewhere(_ profile: Profile, _ words: String) throws -> Outcome {
                try profile.sandbox.shell(
                    "mount --bind '\(id)' /etc/machine-id && exec \"$credstore\" \(words) </dev/null",
                    before: ["/usr/bin/unshare", "--mount"])
            }
            #expect(try elsewhere(unbound, "get one").out == [1])
            let refused = try elsewhere(bound, "--json get one")
            #expect(refused.exit == 5 && refused.category == "keySourceUnavailable")
            let before = try bound.sandbox.snapshot()
            #expect(try elsewhere(bound, "--json set two").category == "keySourceUnavailable")
            let doctor = try elsewhere(bound, "doctor")
            #expect(doctor.exit == 0 && doctor.text.contains("file: not usable (keySourceUnavailable)"))
            #expect(try bound.sandbox.snapshot() == before)
            #expect(try bound.run(nil, "get", "one").out == [1])
        }

        @Test("a key in the keyring that is doubled, no key or gone is told as such by get and by doctor")
        func keyEntry() throws {
            let keyring = try GnomeKeyring()
            #expect(try profile.run(keyring.bus, "set", "one", input: [1]).exit == 0)
            let service = ["service": "credstore"]
            let key = try #require(try keyring.bus.items(service).first)
            func expect(_ category: String, _ sentence: String) throws {
                let outcome = try profile.run(keyring.bus, "get", "one")
                #expect(outcome.exit == 5 && outcome.error.contains(sentence), "\(outcome.error)")
                expectOneSentence(outcome, without: "vault-key", "was named")
                let text = try profile.run(keyring.bus, "doctor").text
                #expect(text.contains("file: not usable (\(category)): \(sentence)"), "\(text)")
            }
            try keyring.bus.createItem(key.attributes, value: Data("another".utf8))
            try expect("keySourceUnavailable", "More than one entry of the keyring could be the key of this vault")
            try keyring.bus.deleteItems(service)
            try expect("keySourceMissing", "The keyring has no key for this vault")
            try keyring.bus.createItem(key.attributes, value: Data("short".utf8))
            try expect(
                "keySourceUnavailable", "The entry of the keyring that should be the key of this vault is no key")
        }

        @Test("a note that names the memory is told as such, and no provider is to be started for it")
        func memoryNote() throws {
            #expect(try profile.shell(nil, "umask 077; mkdir -p '\(profile.sandbox.dataDirectory)'").exit == 0)
            try write(
                Array("credential-storage choice 1 memory\n".utf8),
                toFile: "\(profile.sandbox.dataDirectory)/credentials.choice")
            for words in [["set", "one"], ["get", "one"]] {
                let outcome = try profile.sandbox.run(
                    raw: words.map { Array($0.utf8) }, input: [1], environment: Profile.environment(nil))
                #expect(outcome.exit == 5 && outcome.error.contains("names the memory of a program"))
                #expect(!outcome.error.contains("provider"))
            }
            #expect(!profile.hasVault && profile.record == "memory")
        }
    }
#endif

#if SecretService
    import CredentialStorage
    import FoundationEssentials
    import Glibc
    import SecretServiceTestSupport
    import Testing

    @Suite("The backend auto", .serialized, .timeLimit(.minutes(10)))
    struct AutomaticTests {
        private let profile: Profile

        init() throws { profile = try Profile() }

        private static let service = ["service": "credstore"]

        @Test("a vault under a key in the keyring does every command, and reading chooses nothing")
        func mainJob() throws {
            let keyring = try GnomeKeyring()
            let bus = keyring.bus
            for words in [["get", "one"], ["delete", "one"], ["verify"], ["key", "list"]] {
                let outcome = try profile.sandbox.run(
                    raw: words.map { Array($0.utf8) }, environment: Profile.environment(bus))
                #expect(outcome.exit == 3, "\(words)")
            }
            #expect(try profile.run(bus, "list").text.isEmpty)
            #expect(try profile.run(bus, "dump").text == #"{"entries":{},"omitted":[]}"# + "\n")
            #expect(profile.files.isEmpty)
            #expect(try bus.items(Self.service).isEmpty)

            #expect(try profile.run(bus, "set", "one", input: [1, 0, 255]).exit == 0)
            #expect(profile.record == "keyring-vault")
            #expect(try profile.run(bus, "get", "one").out == [1, 0, 255])
            #expect(try profile.run(bus, "list").text == "one\n")
            #expect(try profile.run(bus, "key", "list").text == "1  entry\n")
            #expect(try profile.run(bus, "verify").exit == 0)
            #expect(try profile.run(bus, "key", "rotate", "--master").exit == 0)
            #expect(try profile.run(bus, "get", "one").out == [1, 0, 255])
            // In the keyring there is the key and nothing else.
            #expect(try bus.items(Self.service).map { $0.attributes["account"] } == ["vault-key"])
            #expect(try profile.run(bus, "init").exit == 10)
            #expect(try profile.run(bus, "reset", "--yes").exit == 0)
            #expect(try profile.run(bus, "list").text.isEmpty)
            #expect(try profile.run(bus, "key", "list").text == "1  entry\n")
        }

        @Test("init chooses too, and lock and unlock work on the keyring that holds the key")
        func initialize() throws {
            let keyring = try GnomeKeyring()
            #expect(try profile.run(keyring.bus, "lock").exit == 0)
            #expect(try profile.run(keyring.bus, "--json", "init").category == "locked")
            #expect(!profile.hasVault && !profile.hasKeyFile)
            // Without a dialog it stays locked; with one there is nobody to show it.
            #expect(try profile.run(keyring.bus, "--json", "unlock").category == "locked")
            #expect(try profile.run(keyring.bus, "--json", "--prompt", "unlock").category == "promptDismissed")
            #expect(try profile.run(keyring.bus, "--json", "--prompt", "init").category == "promptDismissed")
            #expect(try keyring.bus.isLocked(keyring.bus.defaultCollection()))
            #expect(profile.files.isEmpty)
            try keyring.unlockDefault()
            #expect(try profile.run(keyring.bus, "unlock").exit == 0)
            #expect(try profile.run(keyring.bus, "init").exit == 0)
            #expect(profile.hasVault && !profile.hasKeyFile)
            let away = try profile.run(nil, "get", "one")
            #expect(away.exit == 5)
            #expect(away.error.contains("The key of this vault is in the keyring"))
            expectOneSentence(away, without: "one", profile.sandbox.home)

            let headless = try Profile()
            #expect(try headless.run(nil, "init").exit == 0)
            #expect(headless.record == "file" && headless.hasKeyFile)
            for command in ["lock", "unlock"] { #expect(try headless.run(keyring.bus, command).exit == 2) }
        }

        @Test("a vault from before there was a note is used as it is, whatever the keyring does")
        func older() throws {
            let keyring = try GnomeKeyring()
            #expect(try profile.run(nil, "--backend", "file", "set", "one", input: [1]).exit == 0)
            #expect(profile.record == nil)
            for bus in [keyring.bus, nil] {
                #expect(try profile.run(bus, "get", "one").out == [1])
                #expect(try profile.run(bus, "set", "two", input: [2]).exit == 0)
            }
            let report = try profile.run(keyring.bus, "doctor", "--json").json()
            #expect(report["choice"] == .string("file") && report["settled"] == .bool(true))
            #expect(try keyring.bus.items(Self.service).isEmpty)
            // A second key in the keyring is no reason to want the keyring.
            #expect(try profile.run(keyring.bus, "key", "add", "entry", "--from", "secret-service").exit == 0)
            #expect(try profile.run(nil, "get", "one").out == [1])
            // Where its own key file is gone, the other key is what is left.
            unsafe unlink(profile.sandbox.keyFile)
            #expect(try profile.run(keyring.bus, "get", "one").out == [1])
            #expect(try profile.run(nil, "--json", "get", "one").category == "noSessionBus")
            #expect(!profile.hasKeyFile)
        }

        @Test("a vault that opens with a passphrase is asked about, with auto as with the file")
        func passphrase() throws {
            let keyring = try GnomeKeyring()
            try write(Array("secret".utf8), toFile: profile.sandbox.path("passphrase"))
            let options = ["--passphrase-file", profile.sandbox.path("passphrase")]
            let made = try profile.sandbox.run(
                raw: (options + ["set", "one"]).map { Array($0.utf8) }, input: [1],
                environment: Profile.environment(keyring.bus))
            // The option names the backend, so that nothing is chosen.
            #expect(made.exit == 0 && profile.record == nil)
            let asked = try profile.run(keyring.bus, "get", "one")
            #expect(asked.exit == 5 && asked.error.contains("opens with a passphrase"))
            #expect(try profile.run(keyring.bus, "set", "two", input: [2]).exit == 5)
            #expect(!profile.hasKeyFile)
            #expect(try keyring.bus.items(Self.service).isEmpty)
        }

        @Test("an option that only one backend takes names that backend")
        func options() throws {
            let keyring = try GnomeKeyring()
            try keyring.makeCollection("Second one")
            #expect(try profile.run(keyring.bus, "--collection", "Second one", "set", "one", input: [1]).exit == 0)
            #expect(try profile.run(keyring.bus, "--collection", "Second one", "list").text == "one\n")
            let path = "\(profile.sandbox.home)/elsewhere"
            #expect(try profile.run(keyring.bus, "--path", path, "set", "two", input: [2]).exit == 0)
            #expect(try profile.run(keyring.bus, "--path", path, "list").text == "two\n")
            #expect(try profile.run(keyring.bus, "--path", path, "key", "list").text == "1  key-file\n")
            #expect(try profile.run(keyring.bus, "list").text.isEmpty)
            #expect(profile.record == nil)
            let report = try profile.run(keyring.bus, "--path", path, "doctor", "--json").json()
            #expect(report["chosen"] == .string("file") && report["rule"] == .string("an option names it"))
            #expect(report["choice"] == .null)
        }

        @Test("the vault of a group is that of the service of the same name, chosen once for both")
        func group() throws {
            let keyring = try GnomeKeyring()
            #expect(try profile.run(keyring.bus, "--group", "suite", "set", "one", input: [1]).exit == 0)
            #expect(try profile.run(keyring.bus, "--service", "suite", "get", "one").out == [1])
            #expect(try keyring.bus.items(["service": "suite"]).map { $0.attributes["account"] } == ["vault-key"])
            let away = try profile.run(nil, "--json", "--group", "suite", "set", "two", input: [2])
            #expect(away.category == "noSessionBus")
            #expect(try profile.run(nil, "--group", "../x", "set", "two", input: [2]).exit == 2)
        }

        @Test("the name of the desktop makes no difference")
        func desktops() throws {
            let keyring = try GnomeKeyring()
            for (number, desktop) in ["i3", "GNOME", "KDE", "", nil].enumerated() {
                let environment = Profile.environment(keyring.bus).merging(["XDG_CURRENT_DESKTOP": desktop]) { $1 }
                let service = "desktop-\(number)"
                let outcome = try profile.sandbox.run(
                    raw: ["--service", service, "set", "one"].map { Array($0.utf8) }, input: [1],
                    environment: environment)
                #expect(outcome.exit == 0)
                #expect(try profile.run(keyring.bus, "--service", service, "key", "list").text == "1  entry\n")
            }
        }

        @Test("what a program noted for its own service is followed")
        func foreignNote() throws {
            let keyring = try GnomeKeyring()
            #expect(try profile.run(keyring.bus, "--backend", "secret-service", "set", "one", input: [1]).exit == 0)
            try write(
                Array("credential-storage choice 1 secret-service\n".utf8),
                toFile: "\(profile.sandbox.dataDirectory)/credentials.choice")
            #expect(try profile.run(keyring.bus, "get", "one").out == [1])
            #expect(try profile.run(keyring.bus, "set", "two", input: [2]).exit == 0)
            #expect(try profile.run(keyring.bus, "--backend", "secret-service", "list").text == "one\ntwo\n")
            #expect(try profile.run(keyring.bus, "init").exit == 2)
            #expect(try profile.run(nil, "--json", "set", "two", input: [2]).category == "noSessionBus")
            #expect(try profile.run(keyring.bus, "lock").exit == 0)
            #expect(try profile.run(keyring.bus, "get", "one").exit == 4)
            #expect(!profile.hasVault && !profile.hasKeyFile)
        }

        @Test("first starts at once agree, whatever each of them sees")
        func simultaneous() throws {
            let keyring = try GnomeKeyring()
            for round in 0..<6 {
                let service = "round-\(round)"
                let runs = (0..<6).map { number in
                    // In the last rounds each second process has no bus.
                    let isAway = round > 2 && number % 2 == 1
                    let away = isAway ? "env -u DBUS_SESSION_BUS_ADDRESS -u XDG_RUNTIME_DIR " : ""
                    let command = "\(away)\"$credstore\" --json --service \(service) set name-\(number) 2>&1"
                    return "(printf v | \(command); echo \"$? \(number)\") &"
                }
                let outcome = try profile.shell(keyring.bus, runs.joined(separator: " ") + " wait")
                let lines = outcome.text.split(separator: "\n")
                let stored = lines.filter { $0.hasPrefix("0 ") }.map { "name-\($0.dropFirst(2))" }.sorted()
                let failed = lines.filter { $0.hasPrefix("{") }
                #expect(stored.count + failed.count == 6, "\(outcome.text)")
                if round <= 2 { #expect(failed.isEmpty, "\(failed)") }
                #expect(failed.allSatisfy { $0.contains(#""category":"noSessionBus""#) }, "\(failed)")
                let list = try profile.run(keyring.bus, "--service", service, "list")
                #expect(list.text.split(separator: "\n").map(String.init) == stored)
                #expect(!stored.isEmpty)
            }
        }

        @Test("many first starts under load choose the same")
        func load() throws {
            let keyring = try GnomeKeyring()
            let count = Environment.process["CREDENTIAL_LONG_TESTS"] == "1" ? 1_000 : 100
            let line = """
                (while :; do :; done) & burner=$!
                for start in 1 2 3 4; do
                  (for i in $(seq $start 4 \(count)); do
                    printf v | "$credstore" --service "load-$i" set one || echo "$i failed"
                  done) & makers="$makers $!"
                done
                wait $makers; kill $burner
                """
            #expect(try profile.shell(keyring.bus, line).text.isEmpty)
            let records = profile.files.filter { $0.hasSuffix("credentials.choice") }
            #expect(records.count == count)
            for record in records {
                let text = String(decoding: try bytes(ofFile: "\(profile.sandbox.home)/\(record)"), as: UTF8.self)
                #expect(text.hasSuffix(" keyring-vault\n"), "\(record)")
            }
            #expect(!profile.hasKeyFile)
        }
    }
#endif

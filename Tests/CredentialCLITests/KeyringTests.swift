#if SecretService
    import CredentialStorage
    import SecretServiceTestSupport
    import Testing

    @Suite("The keyring behind the tool", .timeLimit(.minutes(3)))
    struct KeyringTests {
        private static let keyring = ["--backend", "secret-service"]

        /// Runs the tool against what is on a bus.
        private func run(
            _ sandbox: Sandbox, _ bus: PrivateBus?, _ words: String..., input: [UInt8]? = nil
        ) throws -> Outcome {
            var environment: [String: String?] = [:]
            for (name, value) in bus?.variables ?? [:] where name != "PATH" { environment[name] = value }
            return try sandbox.run(
                raw: (Self.keyring + words).map { Array($0.utf8) }, input: input, environment: environment)
        }

        @Test("stores, reads, lists, dumps and deletes")
        func mainJob() throws {
            let sandbox = try Sandbox()
            let provider = try GnomeKeyring()
            let bus = provider.bus
            let binary = (0...255).map { UInt8($0) } + [10]
            #expect(try run(sandbox, bus, "set", "binary", input: binary).exit == 0)
            #expect(try run(sandbox, bus, "set", "text", input: Array("plain".utf8)).exit == 0)
            #expect(try run(sandbox, bus, "get", "binary").out == binary)
            #expect(try run(sandbox, bus, "list").text == "binary\ntext\n")
            let dump = try run(sandbox, bus, "dump")
            #expect(dump.exit == 0)
            #expect(dump.text.contains(#""text":"cGxhaW4=""#))
            #expect(dump.text.contains(#""omitted":[]"#))
            #expect(try run(sandbox, bus, "delete", "text").exit == 0)
            #expect(try run(sandbox, bus, "delete", "text").exit == 3)
            #expect(try run(sandbox, bus, "get", "text").exit == 3)
            // Nothing of it is in a file of ours.
            #expect(try run(sandbox, bus, "--service", "other", "list").text.isEmpty)
        }

        @Test("a locked keyring is locked, never empty")
        func locked() throws {
            let sandbox = try Sandbox()
            let provider = try GnomeKeyring()
            let bus = provider.bus
            #expect(try run(sandbox, bus, "set", "one", input: [1]).exit == 0)
            #expect(try run(sandbox, bus, "lock").exit == 0)
            for words in [["get", "one"], ["get", "none"], ["list"], ["dump"], ["delete", "one"], ["unlock"]] {
                let outcome = try sandbox.run(
                    raw: (Self.keyring + ["--json"] + words).map { Array($0.utf8) },
                    environment: bus.variables.mapValues { $0 })
                #expect(outcome.exit == 4, "\(words)")
                #expect(outcome.out.isEmpty)
                #expect(outcome.error.contains(#""category":"locked""#), "\(words)")
            }
            #expect(try run(sandbox, bus, "set", "two", input: [2]).exit == 4)
            try provider.unlockDefault()
            #expect(try run(sandbox, bus, "unlock").exit == 0)
            #expect(try run(sandbox, bus, "list").text == "one\n")
        }

        @Test("a dialog that nobody can show is told apart from a lock that nobody may open")
        func prompts() throws {
            let sandbox = try Sandbox()
            let provider = try GnomeKeyring()
            #expect(try run(sandbox, provider.bus, "lock").exit == 0)
            let outcome = try run(sandbox, provider.bus, "--json", "--prompt", "list")
            #expect(outcome.exit == 4)
            #expect(outcome.error.contains(#""category":"promptDismissed""#))
            #expect(try run(sandbox, provider.bus, "--json", "--no-prompt", "list").error.contains(#""locked""#))
        }

        @Test("without a bus every command says so, and doctor too")
        func noBus() throws {
            let sandbox = try Sandbox()
            for words in [["get", "one"], ["list"], ["dump"], ["delete", "one"], ["lock"], ["unlock"]] {
                let outcome = try sandbox.run(raw: (Self.keyring + ["--json"] + words).map { Array($0.utf8) })
                #expect(outcome.exit == 5, "\(words)")
                #expect(outcome.error.contains(#""category":"noSessionBus""#), "\(words)")
            }
            let write = try run(sandbox, nil, "--json", "set", "one", input: [1])
            #expect(write.error.contains(#""category":"noSessionBus""#))
            #expect(try sandbox.snapshot().isEmpty)
            let doctor = try run(sandbox, nil, "doctor")
            #expect(doctor.exit == 0)
            #expect(doctor.text.contains("secret-service: not usable (noSessionBus)"))
        }

        @Test("without a provider every command says so")
        func noProvider() throws {
            let sandbox = try Sandbox()
            let bus = try PrivateBus()
            #expect(try run(sandbox, bus, "set", "one", input: [1]).exit == 5)
            let outcome = try run(sandbox, bus, "get", "one")
            #expect(outcome.exit == 5)
            expectOneSentence(outcome, without: "one", bus.address, "org.freedesktop")
            let doctor = try run(sandbox, bus, "--json", "doctor")
            #expect(doctor.text.contains(#""category":"noProvider""#))
        }

        @Test("doctor tells what the keyring is like, and neither unlocks nor changes it")
        func doctor() throws {
            let sandbox = try Sandbox()
            let provider = try GnomeKeyring()
            let open = try run(sandbox, provider.bus, "doctor")
            #expect(open.text.contains("secret-service: usable\n  bus: connected\n  provider: gnome-keyring-daemon "))
            try provider.lockDefault()
            let locked = try run(sandbox, provider.bus, "doctor")
            #expect(locked.text.contains("secret-service: not usable (locked)"))
            #expect(locked.text.contains("  collection: locked"))
            #expect(try run(sandbox, provider.bus, "list").exit == 4)
        }

        @Test("few descriptors are an error and not the end of the process")
        func descriptors() throws {
            let sandbox = try Sandbox()
            let provider = try GnomeKeyring()
            #expect(try run(sandbox, provider.bus, "set", "one", input: [1]).exit == 0)
            var environment: [String: String?] = [:]
            for (name, value) in provider.bus.variables where name != "PATH" { environment[name] = value }
            var exits: Set<Int32> = []
            for limit in 4...24 {
                // A shell cannot close what it inherits beyond descriptor 9.
                let limited =
                    "import os, resource, sys; os.closerange(3, 4096); "
                    + "resource.setrlimit(resource.RLIMIT_NOFILE, (\(limit), \(limit))); os.execv(sys.argv[1], sys.argv[1:])"
                let outcome = try sandbox.shell(
                    "exec /usr/bin/python3 -c '\(limited)' \"$credstore\" --backend secret-service get one",
                    environment: environment)
                #expect([0, 5].contains(outcome.exit), "\(limit): \(outcome.exit) \(outcome.error)")
                exits.insert(outcome.exit)
            }
            #expect(exits == [0, 5])
        }

        @Test("a collection is named by its label, and one that is not there is no empty one")
        func collections() throws {
            let sandbox = try Sandbox()
            let provider = try GnomeKeyring()
            try provider.makeCollection("Second one")
            let bus = provider.bus
            #expect(try run(sandbox, bus, "--collection", "Second one", "set", "one", input: [1]).exit == 0)
            #expect(try run(sandbox, bus, "--collection", "Second one", "list").text == "one\n")
            #expect(try run(sandbox, bus, "list").text.isEmpty)
            let missing = try run(sandbox, bus, "--json", "--collection", "Third", "list")
            #expect(missing.exit == 5)
            #expect(missing.error.contains(#""category":"groupUnusable""#))
        }

        @Test(
            "options and commands of another backend are refused",
            arguments: [
                ["--backend", "secret-service", "--path", "/tmp/x", "list"],
                ["--backend", "secret-service", "--key-file", "/tmp/x", "list"],
                ["--backend", "file", "--collection", "x", "list"],
                ["--collection", "x", "--key-file", "/tmp/x", "list"],
                ["--collection", "x", "init"],
                ["--backend", "secret-service", "init"],
                ["--backend", "secret-service", "verify"],
                ["lock"],
                ["unlock"],
            ])
        func otherBackends(words: [String]) throws {
            let sandbox = try Sandbox()
            let outcome = try sandbox.run(raw: words.map { Array($0.utf8) })
            #expect(outcome.exit == 2)
            expectOneSentence(outcome)
            #expect(try sandbox.snapshot().isEmpty)
        }
    }
#endif

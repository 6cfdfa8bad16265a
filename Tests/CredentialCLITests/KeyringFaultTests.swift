#if SecretService
    import CredentialStorage
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("What the tool says of a keyring that is not as it should be", .timeLimit(.minutes(3)))
    struct KeyringFaultTests {
        private let sandbox: Sandbox

        init() throws { sandbox = try Sandbox() }

        private func run(_ bus: PrivateBus, _ words: String..., input: [UInt8]? = nil) throws -> Outcome {
            var environment: [String: String?] = [:]
            for (name, value) in bus.variables where name != "PATH" { environment[name] = value }
            return try sandbox.run(
                raw: (["--backend", "secret-service"] + words).map { Array($0.utf8) }, input: input,
                environment: environment)
        }

        private func entry(_ name: String) -> [String: String] {
            ["xdg:schema": "org.swift-credential-storage.Entry", "service": "credstore", "account": name]
        }

        private func dataHome(of bus: PrivateBus) throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: bus.dataHome).filter { !$0.hasPrefix("keyrings") }
        }

        @Test("a provider that could not save is no fault of the value")
        func fullDisk() throws {
            let keyring = try GnomeKeyring(shortage: .limit)
            #expect(try run(keyring.bus, "set", "one", input: [1]).exit == 0)
            try keyring.setFull(true)
            let outcome = try run(keyring.bus, "set", "one", input: [2])
            #expect(outcome.exit == 5)
            expectOneSentence(outcome, without: "one", keyring.bus.dataHome)
            #expect(outcome.error.contains("unknown") && outcome.error.contains("disk"))
            #expect(try run(keyring.bus, "--json", "delete", "one").error.contains(#""category":"notConfirmed""#))
            #expect(try run(keyring.bus, "get", "one").out == [1])
        }

        @Test(
            "a first write that fails leaves nothing behind",
            arguments: [["--group", "none"], ["--collection", "none"]])
        func nothingLeft(_ options: [String]) throws {
            let keyring = try GnomeKeyring()
            for command in [["set", "one"], ["delete", "one"]] {
                let words = ["--backend", "secret-service"] + options + command
                let outcome = try sandbox.run(
                    raw: words.map { Array($0.utf8) }, input: [1], environment: keyring.bus.variables.mapValues { $0 })
                #expect(outcome.exit == 5, "\(words)")
                #expect(try dataHome(of: keyring.bus) == [], "\(words)")
            }
            try keyring.lockDefault()
            #expect(try run(keyring.bus, "set", "one", input: [1]).exit == 4)
            #expect(try dataHome(of: keyring.bus) == [])
        }

        @Test("a label that no collection has, or more than one, is told in its own words")
        func labels() throws {
            let provider = try ScriptedProvider()
            let missing = try run(provider.bus, "--collection", "Twin", "list")
            #expect(missing.exit == 5)
            #expect(missing.error.contains("no collection with this label"))
            for name in ["one", "two"] { try provider.addCollection(name, label: "Twin") }
            for option in ["--collection", "--group"] {
                let twins = try run(provider.bus, option, "Twin", "get", "one")
                #expect(twins.exit == 10)
                expectOneSentence(twins, without: "Twin")
                #expect(twins.error.contains("More than one collection has this label"))
            }
            for _ in 0..<2 { try provider.add(entry("one"), value: Data("value".utf8)) }
            let entries = try run(provider.bus, "get", "one")
            #expect(entries.exit == 10)
            #expect(entries.error.contains("More than one entry"))
        }

        @Test("a provider that is installed and does not run is not called usable, and is not started")
        func activatable() throws {
            let bus = try PrivateBus(
                BusPolicy(services: [.init(command: "/usr/bin/python3 -B '\(Tool.scriptedProvider.path)'")]))
            let text = try run(bus, "doctor")
            #expect(text.exit == 0)
            #expect(text.text.contains("secret-service: not proven; a provider is installed and not running"))
            #expect(!text.text.contains("secret-service: usable"))
            let report = try run(bus, "--json", "doctor").json()
            let keyring = try #require(report["backends"]?.array?.first { $0["name"] == .string("secret-service") })
            #expect(keyring["usable"] == .null && keyring["readable"] == .null)
            try bus.awaitName(isPresent: false, within: 5)
            #expect(try run(bus, "set", "one", input: [1]).exit == 0)
            #expect(try run(bus, "doctor").text.contains("secret-service: usable"))
        }

        @Test("advice fits what is missing: what is locked is to be unlocked, and no vault is spoken of")
        func advice() throws {
            let provider = try ScriptedProvider("locked item")
            try provider.add(entry("one"), value: Data("value".utf8))
            let locked = try run(provider.bus, "dump")
            #expect(locked.exit == 12)
            #expect(locked.text.contains(#""reason":"locked""#))
            expectOneSentence(locked, without: "one")
            #expect(locked.error.contains("nlock") && !locked.error.contains("backup"))
            for words in [["unlock"], ["get", "one"]] {
                let kept = try sandbox.run(
                    raw: (["--backend", "secret-service"] + words).map { Array($0.utf8) },
                    environment: provider.bus.variables.mapValues { $0 })
                #expect(kept.exit == 4, "\(words)")
                expectOneSentence(kept, without: "one")
                #expect(kept.error.contains("--prompt") && kept.error.contains("settings"), "\(words)")
            }
            #expect(try run(provider.bus, "--prompt", "unlock").exit == 0)
            #expect(try run(provider.bus, "unlock").exit == 0)

            try provider.behave("dangling path")
            let damaged = try run(provider.bus, "list")
            #expect(damaged.exit == 7)
            expectOneSentence(damaged)
            #expect(!damaged.error.contains("verify"))
            try provider.add(entry("one"), value: Data("value".utf8), ["locked": true])
            try provider.adjust(["unlock": "never"])
            let both = try run(provider.bus, "dump")
            #expect(both.exit == 12)
            #expect(both.error.contains("nlock") && both.error.contains("backup"))
        }

        @Test("a change that the provider wants to confirm is told, with the option that allows it")
        func confirmation() throws {
            let provider = try ScriptedProvider("self-completing prompts")
            let forbidden = try run(provider.bus, "--no-prompt", "set", "entry", input: [1])
            #expect(forbidden.exit == 4)
            expectOneSentence(forbidden, without: "entry")
            #expect(forbidden.error.contains("--prompt") && !forbidden.error.contains("pipe"))
            #expect(try run(provider.bus, "set", "entry", input: [1]).exit == 0)

            try provider.behave("write prompt that cannot be taken back")
            let open = try run(provider.bus, "--json", "set", "entry", input: [1])
            #expect(open.exit == 5)
            #expect(open.error.contains(#""category":"notConfirmed""#))
        }

        @Test("a failure without a reason is the provider's, and two items of one name are told as such")
        func troubles() throws {
            let provider = try ScriptedProvider("fails without a reason")
            let failed = try run(provider.bus, "get", "entry")
            #expect(failed.exit == 5)
            expectOneSentence(failed, without: "entry", "place")
            #expect(failed.error.contains("failure of its own") && failed.error.contains("log"))

            try provider.behave("normal")
            for _ in 0..<2 { try provider.add(entry("doubled"), value: Data("value".utf8)) }
            let twins = try run(provider.bus, "dump")
            #expect(twins.exit == 12)
            #expect(twins.text.contains(#""reason":"ambiguous""#))
            expectOneSentence(twins, without: "doubled")
            #expect(!twins.error.contains("damaged") && !twins.error.contains("backup"))
        }

        @Test("an empty note of the provider is no missing one")
        func emptyNote() throws {
            let keyring = try GnomeKeyring()
            #expect(try run(keyring.bus, "set", "one", input: [1]).exit == 0)
            let note = keyring.bus.dataHome + "/credstore/locks/secret-service.provider"
            try Data().write(to: URL(fileURLWithPath: note))
            let outcome = try run(keyring.bus, "get", "one")
            #expect(outcome.exit == 7)
            expectOneSentence(outcome, without: keyring.bus.dataHome)
            #expect(outcome.error.contains("note") && !outcome.error.contains("verify"))
            try FileManager.default.removeItem(atPath: note)
            #expect(try run(keyring.bus, "get", "one").out == [1])
        }

        @Test("a locked group is to be unlocked, not made")
        func lockedGroup() throws {
            let keyring = try GnomeKeyring()
            let group = try keyring.makeCollection("suite")
            #expect(try run(keyring.bus, "--group", "suite", "set", "entry", input: [1]).exit == 0)
            try keyring.bus.lock(group)
            let outcome = try run(keyring.bus, "--group", "suite", "get", "entry")
            #expect(outcome.exit == 5)
            #expect(outcome.error.contains("unlock"))
        }

        @Test("entries of another collection than the default one are not absent, and doctor says so")
        func movedDefault() throws {
            let keyring = try GnomeKeyring()
            #expect(try run(keyring.bus, "set", "one", input: [1]).exit == 0)
            try keyring.bus.setDefault(try keyring.makeCollection("Second one"))
            for words in [["get", "one"], ["list"], ["dump"], ["delete", "one"], ["lock"], ["unlock"]] {
                let outcome = try sandbox.run(
                    raw: (["--backend", "secret-service"] + words).map { Array($0.utf8) },
                    environment: keyring.bus.variables.mapValues { $0 })
                #expect(outcome.exit == 5, "\(words)")
                #expect(outcome.error.contains("another collection"), "\(words)")
            }
            #expect(try run(keyring.bus, "doctor").text.contains("not usable (boundToAnotherProvider)"))
            #expect(try run(keyring.bus, "--collection", "Login", "get", "one").out == [1])
        }
    }
#endif

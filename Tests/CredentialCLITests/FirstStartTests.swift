#if SecretService
    import CredentialStorage
    import FoundationEssentials
    import Glibc
    import SecretServiceTestSupport
    import Testing

    @Suite("A first start that fails", .serialized, .timeLimit(.minutes(3)))
    struct FirstStartTests {
        private let profile: Profile

        init() throws { profile = try Profile() }

        private static let commands = [["set", "one"], ["init"]]

        private func run(
            _ words: [String], in sandbox: Sandbox, _ environment: [String: String?] = Profile.environment(nil)
        ) throws -> Outcome {
            try sandbox.run(raw: words.map { Array($0.utf8) }, input: [1], environment: environment)
        }

        private func file(_ sandbox: Sandbox, _ environment: [String: String?] = [:]) throws -> JSONValue {
            let before = try sandbox.snapshot()
            let all = Profile.environment(nil).merging(environment) { $1 }
            let report = try run(["doctor", "--json"], in: sandbox, all).json()
            #expect(try sandbox.snapshot() == before)
            return try #require(report["backends"]?.array?.first { $0["name"] == .string("file") })
        }

        @Test("with a locked keyring leaves nothing, and the next place chooses")
        func locked() throws {
            let keyring = try GnomeKeyring()
            try keyring.lockDefault()
            for words in Self.commands {
                let outcome = try run(["--json"] + words, in: profile.sandbox, Profile.environment(keyring.bus))
                #expect(outcome.exit == 4 && outcome.category == "locked")
                #expect(profile.files.isEmpty, "\(words)")
            }
            try keyring.unlockDefault()
            #expect(try profile.run(keyring.bus, "set", "one", input: [1]).exit == 0)
            #expect(profile.record == "keyring-vault")
        }

        @Test("without a place for a key file leaves no note for the desktop, and doctor tells before")
        func placeless() throws {
            let keyring = try GnomeKeyring()
            let data = "\(profile.sandbox.home)/.local/share"
            for home in ["/nonexistent", ""] {
                let environment = Profile.environment(nil).merging(["HOME": home, "XDG_DATA_HOME": data]) { $1 }
                let file = try file(profile.sandbox, environment)
                #expect(file["usable"] == .bool(false) && file["category"] == .string("noStorageLocation"))
                #expect(file["message"]?.string?.contains("no place for the key file") == true)
                for words in Self.commands {
                    #expect(try run(words, in: profile.sandbox, environment).exit == 5)
                    #expect(profile.files.isEmpty, "\(words)")
                }
            }
            #expect(try profile.run(keyring.bus, "set", "one", input: [1]).exit == 0)
            #expect(profile.record == "keyring-vault" && !profile.hasKeyFile)
        }

        @Test("because a disk or a limit has no room leaves neither a note nor a key")
        func noRoom() throws {
            for words in ["set one", "init"] {
                let outcome = try profile.shell(nil, "ulimit -f 8; printf v | \"$credstore\" --json \(words)")
                #expect(outcome.category == "noSpace", "\(outcome.error)")
                #expect(profile.files.isEmpty, "\(words)")
            }
            #expect(try profile.run(nil, "set", "one", input: [1]).exit == 0)
        }

        @Test("because of what stands in the way leaves neither a note nor a key", arguments: ["new", "lock"])
        func obstructed(_ suffix: String) throws {
            #expect(try profile.shell(nil, "umask 077; mkdir -p '\(profile.sandbox.dataDirectory)'").exit == 0)
            try write(Array("somebody's".utf8), toFile: "\(profile.sandbox.vault).\(suffix)")
            let before = try profile.sandbox.snapshot()
            for words in Self.commands {
                let outcome = try run(words, in: profile.sandbox)
                #expect(outcome.exit == 10 && outcome.error.contains("nothing was changed"))
                #expect(try profile.sandbox.snapshot() == before, "\(words)")
            }
        }

        @Test("because the place of the key or of the vault cannot be written leaves nothing, and doctor tells before")
        func unwritable() throws {
            for (directory, thing) in [(".config", "key file"), (".local", "vault")] {
                let sandbox = try Sandbox(asOrdinaryUser: true)
                let closed = "\(sandbox.home)/\(directory)"
                #expect(unsafe mkdir(closed, 0o500) == 0)
                try sandbox.give(closed)
                let before = try sandbox.snapshot()
                let file = try file(sandbox)
                #expect(file["usable"] == .bool(false) && file["category"] == .string("accessDenied"), "\(thing)")
                #expect(file["message"]?.string?.contains("There is no \(thing) yet") == true, "\(thing)")
                for words in Self.commands {
                    #expect(try run(words, in: sandbox).exit == 6)
                    #expect(try sandbox.snapshot() == before, "\(words)")
                }
            }
        }

        @Test("because of an empty note of the provider names that note, and doctor too")
        func emptyProviderNote() throws {
            let keyring = try GnomeKeyring()
            let locks = "\(profile.sandbox.dataDirectory)/locks"
            #expect(try profile.shell(nil, "umask 077; mkdir -p '\(locks)'").exit == 0)
            try write([], toFile: "\(locks)/secret-service.provider")
            let sentence = "The note that says with which provider the entries were made is empty"
            for words in Self.commands {
                let outcome = try run(words, in: profile.sandbox, Profile.environment(keyring.bus))
                #expect(outcome.exit == 7 && outcome.error.contains(sentence), "\(outcome.error)")
                #expect(!outcome.error.contains("credentials.choice"))
                expectOneSentence(outcome, without: profile.sandbox.home)
            }
            let text = try profile.run(keyring.bus, "doctor").text
            #expect(text.contains("chosen: nothing (damaged): \(sentence)"))
            #expect(text.contains("secret-service: not usable (damaged): \(sentence)"))
            #expect(!text.contains("credentials.choice"))
            #expect(profile.record == nil)
        }
    }
#endif

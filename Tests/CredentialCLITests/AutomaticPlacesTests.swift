#if SecretService
    import CredentialStorage
    import FoundationEssentials
    import Glibc
    import SecretServiceTestSupport
    import Testing

    @Suite("One profile in many places", .serialized, .timeLimit(.minutes(10)))
    struct AutomaticPlacesTests {
        /// Where a command runs.
        enum Place: CaseIterable {
            case noBus, emptyBus, open, locked, slow, stopped, replaced
        }

        /// A keyring with a password, another desktop's, and a bus on which nothing is.
        private final class Machine {
            let main: GnomeKeyring
            let other: ScriptedProvider
            let empty: PrivateBus

            init() throws {
                main = try GnomeKeyring()
                other = try ScriptedProvider()
                empty = try PrivateBus()
                try beginOther()
            }

            /// The other desktop has another provider, known by its name, and nothing in it.
            func beginOther() throws {
                try other.behave("normal", ["names": ["org.keepassxc.KeePassXC.MainWindow"]])
            }

            /// Runs something where a place is.
            func run<R>(in place: Place, _ body: (PrivateBus?) throws -> R) throws -> R {
                switch place {
                case .noBus: return try body(nil)
                case .emptyBus: return try body(empty)
                case .open: return try body(main.bus)
                case .replaced: return try body(other.bus)
                case .locked:
                    try main.lockDefault()
                    defer { #expect(throws: Never.self) { try main.unlockDefault() } }
                    return try body(main.bus)
                case .stopped:
                    try main.setStopped(true)
                    defer { #expect(throws: Never.self) { try main.setStopped(false) } }
                    return try body(main.bus)
                case .slow:
                    // It answers after a while, and sooner than anybody gives up.
                    try main.setStopped(true)
                    let waking = try main.bus.start(
                        ["sh", "-c", "sleep 0.4; kill -CONT \(main.processIdentifier)"], log: "waking.log")
                    let result = try body(main.bus)
                    #expect(try main.bus.exitStatus(of: waking, within: 30) == 0)
                    return result
                }
            }
        }

        /// What the tool must do, without looking at what it did.
        private struct Model {
            enum Home { case main, other }

            var choice: String?
            /// Where the vault's key is.
            var home: Home?

            /// The exit code of a write and the category of its error.
            mutating func write(in place: Place) -> (exit: Int32, category: String?) {
                if choice == "file" { return (0, nil) }
                if home == .other, [.locked, .stopped].contains(place) { return (5, "boundToAnotherProvider") }
                switch place {
                case .noBus, .emptyBus:
                    guard choice == nil else { return (5, place == .noBus ? "noSessionBus" : "noProvider") }
                    choice = "file"
                    return (0, nil)
                case .stopped: return (9, "timedOut")
                case .locked: return (4, "locked")
                case .open, .slow, .replaced:
                    choice = "keyring-vault"
                    let here: Home = place == .replaced ? .other : .main
                    guard (home ?? here) == here else { return (5, "boundToAnotherProvider") }
                    home = here
                    return (0, nil)
                }
            }
        }

        /// One home goes from place to place, and writes in each.
        private func walk(_ places: [Place], _ machine: Machine) throws {
            let profile = try Profile()
            var model = Model()
            for place in places {
                let steps = "\(places) at \(place)"
                let before = model.choice
                let expected = model.write(in: place)
                let outcome = try machine.run(in: place) { bus in
                    try profile.run(bus, "--json", "set", "canary-name", input: Array("canary-value".utf8))
                }
                #expect(outcome.exit == expected.exit, "\(steps): \(outcome.error)")
                #expect(outcome.category == expected.category, "\(steps)")
                #expect(profile.record == model.choice, "\(steps)")
                if let before { #expect(profile.record == before, "\(steps)") }
                #expect(profile.hasKeyFile == (model.choice == "file"), "\(steps)")
                #expect(profile.hasVault == (model.choice == "file" || model.home != nil), "\(steps)")
                if expected.exit == 0 {
                    let read = try machine.run(in: place) { try profile.run($0, "get", "canary-name") }
                    #expect(read.text == "canary-value", "\(steps)")
                }
                try doctor(profile, machine, place, model)
            }
            let service = ["service": "credstore"]
            if model.home != .main { #expect(try machine.main.bus.items(service).isEmpty, "\(places)") }
            if model.home != .other { #expect(try machine.other.items().isEmpty, "\(places)") }
            // The next walk begins with nothing.
            try machine.main.bus.deleteItems(service)
            try machine.beginOther()
        }

        /// What `doctor` says there: quickly, without a write, and without a secret.
        private func doctor(_ profile: Profile, _ machine: Machine, _ place: Place, _ model: Model) throws {
            let before = try profile.sandbox.snapshot()
            let (outcome, time) = try machine.run(in: place) { bus in
                let start = ContinuousClock.now
                return (try profile.run(bus, "--json", "doctor"), ContinuousClock.now - start)
            }
            #expect(outcome.exit == 0 && outcome.error.isEmpty, "\(place)")
            #expect(time < .seconds(2), "\(place): \(time)")
            #expect(try profile.sandbox.snapshot() == before, "\(place)")
            #expect(!outcome.text.contains("canary"), "\(place)")
            let report = try outcome.json()
            #expect(report["record"]?.string == model.choice, "\(place)")
            if let choice = model.choice {
                #expect(report["choice"] == .string(choice) && report["settled"] == .bool(true), "\(place)")
            }
            let keyring = try #require(report["backends"]?.array?.first { $0["name"] == .string("secret-service") })
            let (bus, category, isUsable) = Self.keyring(in: place, isBoundTo: model.home)
            #expect(keyring["bus"] == .string(bus), "\(place)")
            #expect(keyring["category"]?.string == category, "\(place)")
            #expect(keyring["usable"] == .bool(isUsable), "\(place)")
        }

        private static func keyring(
            in place: Place, isBoundTo home: Model.Home?
        ) -> (bus: String, category: String?, isUsable: Bool) {
            let isElsewhere = home.map { ($0 == .other) != (place == .replaced) } ?? false
            return switch place {
            case .noBus: ("none", "noSessionBus", false)
            case .emptyBus: ("connected", "noProvider", false)
            case .stopped: ("connected", isElsewhere ? "boundToAnotherProvider" : "timedOut", false)
            case .open, .slow, .replaced:
                isElsewhere ? ("connected", "boundToAnotherProvider", false) : ("connected", nil, true)
            case .locked: ("connected", isElsewhere ? "boundToAnotherProvider" : "locked", false)
            }
        }

        @Test("the first place decides, and no later one leads to another backend", arguments: Place.allCases)
        func order(first: Place) throws {
            let machine = try Machine()
            let all = Place.allCases
            let start = try #require(all.firstIndex(of: first))
            let forward = Array(all[start...] + all[..<start])
            try walk(forward, machine)
            guard Environment.process["CREDENTIAL_LONG_TESTS"] == "1" else { return }
            try walk([first] + forward.dropFirst().reversed(), machine)
            for _ in 0..<5 { try walk([first] + forward.dropFirst().shuffled(), machine) }
        }
    }
#endif

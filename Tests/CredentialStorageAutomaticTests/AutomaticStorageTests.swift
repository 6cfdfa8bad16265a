#if SecretService
    import CredentialStorage
    import CredentialStorageAutomatic
    import CredentialStorageSecretService
    import CredentialTestSupport
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("The automatic choice", .serialized, .timeLimit(.minutes(5)))
    struct AutomaticStorageTests {
        private static let service = "org.example.automatic"

        /// One home, seen from several buses or from none.
        private let home: [String: String]

        init() throws {
            let directory = try TemporaryDirectory().path
            for name in ["home", "data", "config"] {
                try FileManager.default.createDirectory(
                    atPath: "\(directory)/\(name)", withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
            }
            home = [
                "HOME": "\(directory)/home", "XDG_DATA_HOME": "\(directory)/data",
                "XDG_CONFIG_HOME": "\(directory)/config",
            ]
        }

        private var place: String { "\(home["XDG_DATA_HOME"] ?? "")/\(Self.service)" }

        private func store(_ bus: PrivateBus? = nil, _ policy: AutomaticPolicy = .durable) -> AutomaticStorage {
            var variables = home
            for name in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"] { variables[name] = bus?.variables[name] }
            let all = variables
            return StorageBuilder.automatic(service: Self.service, policy: policy)
                .environment(Environment { all[$0] }).log(.silent).deadline(.seconds(2)).lookingAhead(false).build()
        }

        private func category(_ body: () throws -> Void) -> UnavailableCategory? {
            do { try body() } catch { return (error as? StorageError)?.category }
            return nil
        }

        private func files() -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []).sorted()
        }

        @Test("a first start with a keyring makes a vault under a key in it, and nothing changes that later")
        func keyring() throws {
            let keyring = try GnomeKeyring()
            let first = store(keyring.bus)
            #expect(try first.get("name") == nil)
            #expect(try first.keys().isEmpty)
            #expect(files().isEmpty)
            #expect(
                try first.selection == AutomaticSelection(choice: .keyringVault, rule: .first, isSettled: false))
            try first.set("value", forKey: "name")
            #expect(try first.selection.isSettled)
            #expect(try first.protection.source == .entry)
            #expect(files().contains("credentials.choice") && files().contains("credentials.vault"))
            #expect(!FileManager.default.fileExists(atPath: "\(home["XDG_CONFIG_HOME"] ?? "")/\(Self.service)"))
            #expect(try store(keyring.bus).string(forKey: "name") == "value")

            let before = files()
            // A remote login has no bus.
            #expect(category { _ = try store().get("name") } == .noSessionBus)
            #expect(category { try store().set("other", forKey: "name") } == .noSessionBus)
            #expect(category { _ = try store().keys() } == .noSessionBus)
            #expect(try store().selection.choice == .keyringVault)
            let empty = try PrivateBus()
            #expect(category { _ = try store(empty).get("name") } == .noProvider)
            #expect(category { _ = try store(empty).delete("name") } == .noProvider)
            // Another desktop has another provider.
            let other = try ScriptedProvider()
            #expect(category { try store(other.bus).set("other", forKey: "name") } == .boundToAnotherProvider)
            #expect(category { _ = try store(other.bus).get("name") } == .boundToAnotherProvider)
            #expect(try other.items().isEmpty)
            try keyring.lockDefault()
            #expect(category { _ = try store(keyring.bus).get("name") } == .locked)
            #expect(category { try store(keyring.bus).set("other", forKey: "name") } == .locked)
            try keyring.unlockDefault()
            try keyring.setStopped(true)
            #expect(category { _ = try store(keyring.bus).get("name") } == .timedOut)
            try keyring.setStopped(false)
            #expect(files() == before)
            #expect(try store(keyring.bus).string(forKey: "name") == "value")

            // The record is lost; the vault says enough.
            try FileManager.default.removeItem(atPath: "\(place)/credentials.choice")
            let later = store(keyring.bus)
            #expect(try later.string(forKey: "name") == "value")
            #expect(try later.selection == AutomaticSelection(choice: .keyringVault, rule: .vault, isSettled: true))
            #expect(category { _ = try store().get("name") } == .noSessionBus)
        }

        @Test("a first start without a keyring makes a vault under a key file, and a later keyring is not used")
        func headless() throws {
            let empty = try PrivateBus()
            for bus in [nil, empty] as [PrivateBus?] {
                #expect(
                    try store(bus).selection
                        == AutomaticSelection(choice: .file, rule: .noKeyring, isSettled: false))
            }
            try store().set("value", forKey: "name")
            let keyring = try GnomeKeyring()
            let later = store(keyring.bus)
            #expect(try later.string(forKey: "name") == "value")
            #expect(try later.selection == AutomaticSelection(choice: .file, rule: .recorded, isSettled: true))
            #expect(try later.protection.source == .keyFile)
            let strict = store(nil, AutomaticPolicy([.keyringVault]))
            #expect(category { _ = try strict.get("name") } == .boundToAnotherProvider)
            #expect(try keyring.bus.items(["service": Self.service]).isEmpty)
        }

        @Test("a keyring that is locked, silent or broken at the first start is an error, and nothing is made")
        func unavailable() throws {
            let keyring = try GnomeKeyring()
            try keyring.setStopped(true)
            let silent = store(keyring.bus)
            #expect(category { try silent.set("value", forKey: "name") } == .timedOut)
            #expect(category { _ = try silent.acquireLock("name", timeout: .seconds(1)) } == .timedOut)
            #expect(category { _ = try silent.selection } == .timedOut)
            #expect(try silent.get("name") == nil)
            #expect(files().isEmpty)
            try keyring.setStopped(false)
            try keyring.lockDefault()
            #expect(category { try store(keyring.bus).set("value", forKey: "name") } == .locked)
            #expect(category { _ = try store(keyring.bus).acquireLock("name", timeout: .seconds(1)) } == .locked)
            #expect(try !store(keyring.bus).selection.isSettled)
            #expect(!FileManager.default.fileExists(atPath: place))
            try keyring.unlockDefault()
            try silent.set("value", forKey: "name")
            #expect(try store(keyring.bus).string(forKey: "name") == "value")
        }

        @Test("a provider that cannot be started leaves the choice open")
        func unstartable() throws {
            let bus = try PrivateBus(
                BusPolicy(services: [.init(name: "org.freedesktop.secrets", command: "/bin/false")]))
            #expect(category { try store(bus).set("value", forKey: "name") } == .providerFailedToStart)
            #expect(files().isEmpty)
            try store().set("value", forKey: "name")
            #expect(try store(bus).string(forKey: "name") == "value")
        }

        @Test("simultaneous first starts use one store, whatever each of them sees")
        func simultaneous() async throws {
            let keyring = try GnomeKeyring()
            let stores = (0..<16).map { store($0.isMultiple(of: 2) ? keyring.bus : nil) }
            let outcomes = await withTaskGroup(of: (Int, UnavailableCategory?).self) { group in
                for (number, store) in stores.enumerated() {
                    group.addTask {
                        do {
                            try await store.set("value \(number)", forKey: "name \(number)")
                            return (number, nil)
                        } catch {
                            return (number, (error as? StorageError)?.category ?? .foreign)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let selection = try store(keyring.bus).selection
            for (number, category) in outcomes {
                let expected: UnavailableCategory? =
                    selection.choice == .keyringVault && !number.isMultiple(of: 2) ? .noSessionBus : nil
                #expect(category == expected, "\(number)")
            }
            let written = outcomes.filter { $0.1 == nil }.map { "name \($0.0)" }
            #expect(try await Set(store(keyring.bus).keys()) == Set(written))
        }

        @Test("a vault that came back without its key is an error, and no key is made for it")
        func restored() throws {
            let keyring = try GnomeKeyring()
            try store(keyring.bus).set("value", forKey: "name")
            try keyring.bus.deleteItems(["service": Self.service])
            #expect(category { _ = try store(keyring.bus).get("name") } == .keySourceMissing)
            #expect(category { try store(keyring.bus).set("other", forKey: "name") } == .keySourceMissing)
            #expect(try keyring.bus.items(["service": Self.service]).isEmpty)
        }

        @Test("memory is used only where the policy names it, and leaves no note")
        func memory() throws {
            let store = store(nil, AutomaticPolicy([.keyringVault, .memory]))
            try store.set("value", forKey: "name")
            #expect(try store.string(forKey: "name") == "value")
            #expect(try store.protection.durability == .volatile)
            #expect(try store.selectedBackend == .memory)
            #expect(files().isEmpty)
        }

        @Test("entries that stand in the keyring already are found where the policy names it")
        func older() throws {
            let keyring = try GnomeKeyring()
            try keyring.bus.createItem(
                [
                    "xdg:schema": "org.swift-credential-storage.Entry", "service": Self.service, "account": "name",
                ], value: Data("value".utf8))
            let store = store(keyring.bus, AutomaticPolicy([.secretService]))
            #expect(try store.string(forKey: "name") == "value")
            #expect(try !store.selection.isSettled)
            try store.set("other", forKey: "name")
            #expect(try store.selection.isSettled)
            #expect(try keyring.bus.items(["service": Self.service]).map(\.value) == [Data("other".utf8)])
        }

        @Test("a closed store stays closed, before and after its choice")
        func closed() throws {
            for isSettled in [false, true] {
                let store = store()
                if isSettled { try store.set("value", forKey: "name") }
                store.close()
                #expect(category { _ = try store.get("name") } == .closed)
                #expect(category { try store.set("value", forKey: "name") } == .closed)
                #expect(store.probe().reason?.category == .closed)
            }
        }

        @Test("bad names are refused before anything is chosen")
        func names() throws {
            let store = store()
            #expect(throws: StorageError.readError(cause: .invalidEntryKey)) { try store.get("") }
            #expect(throws: StorageError.writeError(cause: .invalidEntryKey)) { try store.set("value", forKey: "") }
            #expect(throws: StorageError.deleteError(cause: .invalidEntryKey)) { try store.delete("") }
            #expect(files().isEmpty)
            let nameless = StorageBuilder.automatic(service: "../x").log(.silent).lookingAhead(false).build()
            #expect(throws: StorageError.readError(cause: .invalidService)) { try nameless.get("name") }
            #expect(throws: StorageError.writeError(cause: .invalidService)) { try nameless.set("v", forKey: "name") }
        }

        @Test("a level that wants an unlocked session binds to the machine, and closes while the session is locked")
        func session() async throws {
            let keyring = try GnomeKeyring()
            let manager = try LoginManager(on: keyring.bus)
            let variables = home.merging(keyring.bus.variables.filter { home[$0.key] == nil }) { $1 }
            let store = StorageBuilder.automatic(service: Self.service).environment(Environment { variables[$0] })
                .accessibility(.whenUnlockedThisDeviceOnly)
                .sessionState(LogindSession(environment: manager.environment(session: "c7")))
                .log(.silent).lookingAhead(false).build()
            try manager.setLocked(true)
            #expect(category { try store.set("value", forKey: "name") } == .sessionLocked)
            #expect(!files().contains("credentials.vault"))
            try manager.setLocked(false)
            try await store.set("value", forKey: "name")
            let protection = try store.protection
            #expect(protection.source == .entry && protection.device == .machineID)
            #expect(protection.accessibility == .whenUnlockedThisDeviceOnly)
            try manager.setLocked(true)
            #expect(category { _ = try store.get("name") } == .sessionLocked)
            async let isOver: Void = store.waitUntilAvailable()
            try manager.setLocked(false)
            try await isOver
            #expect(try await store.string(forKey: "name") == "value")
        }

        @Test("waiting ends when the keyring is unlocked")
        func waiting() async throws {
            let keyring = try GnomeKeyring()
            try await store(keyring.bus).set("value", forKey: "name")
            try keyring.lockDefault()
            let locked = store(keyring.bus)
            #expect(locked.probe().isLocked == true)
            let waiter = Task {
                try await locked.waitUntilAvailable()
                return try await locked.string(forKey: "name")
            }
            try keyring.unlockDefault()
            #expect(try await waiter.value == "value")
        }
    }
#endif

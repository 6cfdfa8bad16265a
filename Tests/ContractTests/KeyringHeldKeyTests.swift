#if SecretService
    internal import CredentialStorage
    internal import CredentialStorageFile
    internal import CredentialStorageSealing
    internal import CredentialStorageSecretService
    internal import CredentialTestSupport
    internal import Dispatch
    internal import Foundation
    internal import SecretServiceTestSupport
    internal import Testing

    @Suite(
        "A vault under a key in the keyring", .timeLimit(.minutes(5)),
        .enabled(if: KeyringRows.isWanted, "stores over a bus are left out"))
    struct KeyringHeldKeyTests {
        private static let service = "org.example.held"

        private let directory: String
        private var path: String { directory + "/data/credentials.vault" }

        init() throws { directory = try TemporaryDirectory().path }

        private func keyring(_ environment: Environment) -> SecretServiceStorage {
            StorageBuilder.SecretService(service: Self.service).environment(environment).lookingAhead(false)
                .log(.silent).build()
        }

        private func keyring(_ bus: PrivateBus) -> SecretServiceStorage { keyring(bus.environment) }

        private func vault(_ bus: PrivateBus) -> EncryptedFileStorage { builder(bus.environment).build() }

        private func builder(_ environment: Environment) -> StorageBuilder.EncryptedFile {
            StorageBuilder.EncryptedFile(service: Self.service).path(path).lookingAhead(false).log(.silent)
                .keySource(.entry("vault-key", in: keyring(environment)))
        }

        private func category(_ body: () throws -> Void) -> UnavailableCategory? {
            do { try body() } catch { return (error as? StorageError)?.category }
            return nil
        }

        private var isMade: Bool { FileManager.default.fileExists(atPath: path) }

        @Test("its key is one entry of the keyring, and opens it after both were closed")
        func restarted() throws {
            let provider = try GnomeKeyring()
            try vault(provider.bus).set("value", forKey: "name")
            #expect(try keyring(provider.bus).keys() == ["vault-key"])
            let key = try #require(try keyring(provider.bus).get("vault-key"))
            #expect(key.count == 32)
            try provider.restart(.unlocked("password"))
            let store = vault(provider.bus)
            #expect(try store.string(forKey: "name") == "value")
            #expect(try store.protection.source == .entry)
            #expect(try store.protection.durability == .durable)
            #expect(try keyring(provider.bus).get("vault-key") == key)
        }

        @Test("a first start under a locked keyring makes nothing, and works when it is open")
        func lockedAtFirst() throws {
            let provider = try GnomeKeyring()
            try provider.lockDefault()
            let store = vault(provider.bus)
            #expect(category { try store.set("value", forKey: "name") } == .locked)
            #expect(category { try store.create() } == .locked)
            let probe = store.probe()
            #expect(probe.isReadable && !probe.isWritable && probe.isLocked == true)
            #expect(!isMade)
            try provider.unlockDefault()
            #expect(try keyring(provider.bus).keys().isEmpty)
            try store.set("value", forKey: "name")
            #expect(try vault(provider.bus).string(forKey: "name") == "value")
        }

        @Test("without a bus or a provider a first start makes nothing")
        func unreachable() throws {
            let bus = try PrivateBus()
            defer { bus.end() }
            for (environment, category) in [
                (bus.environment, UnavailableCategory.noProvider),
                (Environment { _ in nil }, .noSessionBus),
            ] {
                let vault = builder(environment).build()
                #expect(self.category { try vault.set("value", forKey: "name") } == category)
                #expect(!isMade)
            }
        }

        @Test("a vault whose key was taken out of the keyring stays closed, and gets no new one")
        func taken() throws {
            let provider = try GnomeKeyring()
            try vault(provider.bus).set("value", forKey: "name")
            let key = try #require(try keyring(provider.bus).get("vault-key"))
            try keyring(provider.bus).delete("vault-key")
            let store = vault(provider.bus)
            #expect(category { _ = try store.get("name") } == .keySourceMissing)
            #expect(category { try store.set("value", forKey: "name") } == .keySourceMissing)
            #expect(try keyring(provider.bus).keys().isEmpty)
            try keyring(provider.bus).set(key, forKey: "vault-key")
            #expect(try store.string(forKey: "name") == "value")
        }

        @Test("first starts at once agree on one key and one vault")
        func firstStarts() throws {
            let provider = try GnomeKeyring()
            let outcomes = Locked<[Result<Void, any Error>]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { index in
                let outcome = Result { try vault(provider.bus).set("\(index)", forKey: "name \(index)") }
                outcomes.withLock { $0.append(outcome) }
            }
            for outcome in outcomes.withLock({ $0 }) { try outcome.get() }
            #expect(try vault(provider.bus).keys() == (0..<4).map { "name \($0)" })
            #expect(try keyring(provider.bus).keys() == ["vault-key"])
        }

        @Test("while the keyring is locked it is locked too, and a wait ends when somebody opens it")
        func waiting() async throws {
            let provider = try GnomeKeyring()
            let bus = provider.bus
            try await vault(bus).set("value", forKey: "name")
            let open = vault(bus)
            #expect(try await open.string(forKey: "name") == "value")
            try provider.lockDefault()
            let store = vault(bus)
            #expect(category { _ = try store.get("name") } == .locked)
            #expect(category { _ = try store.get("never") } == .locked)
            #expect(category { _ = try store.readAll() } == .locked)
            #expect(store.probe().isLocked == true && store.probe().reason?.category == .locked)
            // The one that has its key goes on.
            #expect(try await open.string(forKey: "name") == "value")
            #expect(open.probe() == .usable)
            async let isOver: Void = store.waitUntilAvailable()
            try provider.unlockDefault()
            try await isOver
            #expect(store.probe() == .usable)
            #expect(try await store.string(forKey: "name") == "value")
        }

        @Test("a vault asks the login manager whether the session is locked, and is refused where that is not known")
        func session() async throws {
            let provider = try GnomeKeyring()
            let manager = try LoginManager(on: provider.bus)
            try Data("0123456789abcdef0123456789abcdef\n".utf8).write(to: URL(filePath: directory + "/machine-id"))
            func store(_ environment: Environment) -> EncryptedFileStorage {
                builder(provider.bus.environment).machineID(at: directory + "/machine-id")
                    .accessibility(.whenUnlockedThisDeviceOnly)
                    .sessionState(LogindSession(environment: environment)).build()
            }
            let known = store(manager.environment(session: "c7"))
            try manager.setLocked(true)
            #expect(category { try known.set("value", forKey: "name") } == .sessionLocked)
            #expect(!isMade)
            try manager.setLocked(false)
            try await known.set("value", forKey: "name")
            #expect(try known.protection.accessibility == .whenUnlockedThisDeviceOnly)
            #expect(try known.protection.device == .machineID)
            try manager.setLocked(true)
            #expect(category { _ = try known.get("name") } == .sessionLocked)
            #expect(known.probe().reason?.category == .sessionLocked)
            async let isOver: Void = known.waitUntilAvailable()
            try manager.setLocked(false)
            try await isOver
            #expect(try await known.string(forKey: "name") == "value")
            let nowhere = Environment { ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"][$0] }
            #expect(category { _ = try store(nowhere).get("name") } == .sessionStateUnknown)
        }
    }
#endif

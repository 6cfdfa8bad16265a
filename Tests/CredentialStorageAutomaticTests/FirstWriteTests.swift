#if SecretService
    import CredentialStorage
    import CredentialTestSupport
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @testable import CredentialStorageAutomatic

    @Suite("A first write that fails", .serialized, .timeLimit(.minutes(3)))
    struct FirstWriteTests {
        private static let service = "org.example.first"

        private let root: String

        init() throws { root = try TemporaryDirectory().path }

        private var place: String { "\(root)/data/\(Self.service)" }
        private var note: String { "\(place)/credentials.choice" }
        private var keyFile: String { "\(root)/config/\(Self.service)/vault.key" }

        /// A store whose key file has a place, or has none.
        private func store(
            _ bus: PrivateBus? = nil, hasKeyPlace: Bool = true, _ policy: AutomaticPolicy = .durable
        ) -> AutomaticStorage {
            var variables = ["XDG_DATA_HOME": "\(root)/data"]
            if hasKeyPlace { variables["XDG_CONFIG_HOME"] = "\(root)/config" }
            for name in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"] { variables[name] = bus?.variables[name] }
            let all = variables
            return StorageBuilder.automatic(service: Self.service, policy: policy)
                .environment(Environment { all[$0] }).log(.silent).deadline(.seconds(2)).lookingAhead(false).build()
        }

        private func failure(_ body: () throws -> Void) -> StorageError? {
            do { try body() } catch { return error as? StorageError }
            return nil
        }

        private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

        private func makePlace() throws {
            try FileManager.default.createDirectory(
                atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }

        @Test("leaves nothing of its choice, and a later start chooses anew")
        func forgotten() throws {
            let placeless = store(hasKeyPlace: false)
            #expect(failure { try placeless.set("value", forKey: "name") }?.category == .noStorageLocation)
            #expect(try FileManager.default.contentsOfDirectory(atPath: root).isEmpty)
            #expect(try !placeless.selection.isSettled)
            // A lock that was taken before counts as a write, and its note goes with the first entry that cannot be made.
            let lock = try placeless.acquireLock("name", timeout: .seconds(1))
            #expect(exists(note))
            #expect(failure { try placeless.set("value", forKey: "name") }?.category == .noStorageLocation)
            #expect(!exists(note))
            lock.release()

            let keyring = try GnomeKeyring()
            let desktop = store(keyring.bus)
            try desktop.set("value", forKey: "name")
            #expect(try desktop.selection.choice == .keyringVault)
            #expect(exists(note) && !exists(keyFile))
        }

        @Test("because of what stands in its way leaves neither a note nor a key", arguments: ["new", "lock"])
        func obstructed(_ suffix: String) throws {
            try makePlace()
            let obstacle = "\(place)/credentials.vault.\(suffix)"
            try Data("somebody's".utf8).write(to: URL(fileURLWithPath: obstacle))
            #expect(chmod(obstacle, 0o600) == 0)
            let store = store()
            #expect(failure { try store.set("value", forKey: "name") }?.cause == .conflict)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: place) == ["credentials.vault.\(suffix)"])
            #expect(!exists(keyFile))
            try FileManager.default.removeItem(atPath: obstacle)
            try store.set("value", forKey: "name")
            #expect(try store.string(forKey: "name") == "value")
            #expect(try store.selection == AutomaticSelection(choice: .file, rule: .recorded, isSettled: true))
        }

        @Test("leaves the note of somebody else, of a vault that stands, and of the keyring itself")
        func kept() throws {
            try makePlace()
            let line = "credential-storage choice 1 file\n"
            try Data(line.utf8).write(to: URL(fileURLWithPath: note))
            #expect(failure { try store(hasKeyPlace: false).set("value", forKey: "name") } != nil)
            #expect(try String(contentsOfFile: note, encoding: .utf8) == line)
            try FileManager.default.removeItem(atPath: note)

            let large = Data(count: (1 << 20) + 1)
            let standing = store()
            try standing.set("value", forKey: "name")
            #expect(failure { try standing.set(large, forKey: "name") } != nil)
            #expect(exists(note))
            try FileManager.default.removeItem(atPath: place)

            let keyring = try GnomeKeyring()
            let policy = AutomaticPolicy([.secretService])
            #expect(failure { try store(keyring.bus, policy).set(large, forKey: "name") } != nil)
            #expect(
                try store(keyring.bus, policy).selection
                    == AutomaticSelection(choice: .secretService, rule: .recorded, isSettled: true))
        }

        @Test("takes its note back only when nobody relies on it any more")
        func reliedOn() throws {
            let record = ChoiceRecord(besideVault: "\(place)/credentials.vault", PosixFileSystem())
            let made = Locked<MadeNote?>(nil)
            #expect(try record.note(.file, made: made) == .choice(.file))
            let mine = try #require(try record.hold(.file, made: made))
            var other = try record.hold(.file, made: Locked(nil))
            #expect(other != nil)
            mine.takeBack()
            #expect(try record.read() == .choice(.file))
            other?.takeBack()
            other = nil
            #expect(try record.hold(.keyringVault, made: made) == nil)
            let again = try #require(try record.hold(.file, made: made))
            again.takeBack()
            #expect(try record.read() == .none)
            #expect(try record.hold(.file, made: made) == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: root).isEmpty)
        }

        @Test("at the same time as others leaves nothing either")
        func simultaneous() async throws {
            let shared = store(hasKeyPlace: false)
            let stores = (0..<12).map { $0 < 6 ? shared : store(hasKeyPlace: false) }
            let categories = await withTaskGroup(of: UnavailableCategory?.self) { group in
                for store in stores {
                    group.addTask {
                        do { try await store.set("value", forKey: "name") } catch {
                            return (error as? StorageError)?.category
                        }
                        return nil
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(categories.allSatisfy { $0 == .noStorageLocation })
            #expect(!exists(note))
        }
    }
#endif

#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Entries that live with another provider", .serialized, .timeLimit(.minutes(5)))
    struct BindingTests {
        /// The bus of one provider and the data directory of another.
        private func store(_ bus: PrivateBus, dataOf other: PrivateBus) -> SecretServiceStorage {
            var variables = bus.variables
            variables["XDG_DATA_HOME"] = other.dataHome
            let all = variables
            return StorageBuilder.SecretService(service: "org.example.bound")
                .environment(Environment { all[$0] }).lookingAhead(false).build()
        }

        private func category(_ body: () throws -> Void) -> UnavailableCategory? {
            do { try body() } catch { return (error as? StorageError)?.category }
            return nil
        }

        @Test("what was made with one provider is not absent because another does not have it")
        func another() throws {
            let keyring = try GnomeKeyring()
            let here = store(keyring.bus, dataOf: keyring.bus)
            try here.set("value", forKey: "name")

            // It has none of the names by which a provider is known, so it is not the one that was noted.
            let other = try ScriptedProvider()
            let elsewhere = store(other.bus, dataOf: keyring.bus)
            #expect(category { _ = try elsewhere.get("name") } == .boundToAnotherProvider)
            #expect(category { _ = try elsewhere.delete("name") } == .boundToAnotherProvider)
            #expect(category { _ = try elsewhere.keys() } == .boundToAnotherProvider)
            #expect(category { _ = try elsewhere.readAll() } == .boundToAnotherProvider)
            #expect(category { try elsewhere.set("value", forKey: "name") } == .boundToAnotherProvider)
            #expect(try other.items().isEmpty)
            // What only looks like one of ours proves nothing.
            try other.add(
                [
                    "xdg:schema": "org.swift-credential-storage.Entry", "service": "org.example.bound",
                    "account": "name", "extra": "1",
                ], value: Data("foreign".utf8))
            #expect(category { _ = try elsewhere.keys() } == .boundToAnotherProvider)
            #expect(try here.string(forKey: "name") == "value")
            #expect(try here.get("absent") == nil)

            // A newer version may note what this one does not know.
            let note = keyring.bus.dataHome + "/org.example.bound/locks/secret-service.provider"
            try Data("another\n".utf8).write(to: URL(fileURLWithPath: note))
            let newer = store(other.bus, dataOf: keyring.bus)
            #expect(category { _ = try newer.get("absent") } == .boundToAnotherProvider)

            // Whoever has moved the entries removes the note.
            try FileManager.default.removeItem(atPath: note)
            let moved = store(other.bus, dataOf: keyring.bus)
            try moved.set("moved", forKey: "name")
            #expect(try moved.string(forKey: "name") == "moved")
        }

        @Test("a store that has written nothing is bound to nobody")
        func unbound() throws {
            let keyring = try GnomeKeyring()
            let store = store(keyring.bus, dataOf: keyring.bus)
            #expect(try store.get("name") == nil)
            #expect(try store.keys().isEmpty)
        }
    }
#endif

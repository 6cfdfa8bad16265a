#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("A store over gnome-keyring", .serialized, .timeLimit(.minutes(5)))
    struct BasicTests {
        private func store(_ bus: PrivateBus, service: String = "org.example.basics") -> SecretServiceStorage {
            StorageBuilder.SecretService(service: service).environment(bus.environment).lookingAhead(false).build()
        }

        @Test("what is set is read, listed, replaced and removed")
        func wholeLife() throws {
            let keyring = try GnomeKeyring()
            let store = store(keyring.bus)
            #expect(try store.get("name") == nil)
            #expect(try store.delete("name") == false)
            try store.set("first", forKey: "name")
            #expect(try store.string(forKey: "name") == "first")
            try store.set("second", forKey: "name")
            try store.set(Data([0, 0xFF, 0x0A]), forKey: "bytes")
            try store.set(Data(), forKey: "empty")
            #expect(try store.keys() == ["bytes", "empty", "name"])
            let bulk = try store.readAll()
            #expect(bulk.isComplete)
            #expect(bulk[key: "name"] == Data("second".utf8))
            #expect(bulk[key: "bytes"] == Data([0, 0xFF, 0x0A]))
            #expect(bulk[key: "empty"] == Data())
            #expect(try store.compareAndSet("name", expected: Data("second".utf8), new: Data("third".utf8)))
            #expect(try !store.compareAndSet("name", expected: Data("second".utf8), new: nil))
            #expect(try store.delete("name"))
            #expect(try store.get("name") == nil)
            try store.deleteAll()
            #expect(try store.keys().isEmpty)
            store.close()
            #expect { try store.get("name") } throws: { ($0 as? StorageError)?.category == .closed }
        }

        @Test("every length and byte survives the daemon")
        func values() throws {
            let keyring = try GnomeKeyring()
            let store = store(keyring.bus)
            let values = [
                Data((0...255).map { UInt8($0) }), Data("plain text".utf8), Data(count: 1 << 20), Data("a\nb".utf8),
            ]
            for (index, value) in values.enumerated() { try store.set(value, forKey: "v\(index)") }
            try keyring.restart(.unlocked("password"))
            for (index, value) in values.enumerated() { #expect(try store.get("v\(index)") == value) }
        }

        @Test("secret-tool reads our text, and we read what it stores")
        func secretTool() throws {
            let keyring = try GnomeKeyring()
            let store = store(keyring.bus)
            let schema = "org.swift-credential-storage.Entry"
            try store.set("a word", forKey: "ours")
            let found = try keyring.bus.secretTool(
                "lookup", "xdg:schema", schema, "service", "org.example.basics", "account", "ours")
            #expect(found.text == "a word")
            let stored = try keyring.bus.secretTool(
                "store", "--label=x", "xdg:schema", schema, "service", "org.example.basics", "account", "theirs",
                input: Data("their word".utf8))
            #expect(stored.status == 0)
            #expect(try store.string(forKey: "theirs") == "their word")
        }
    }
#endif

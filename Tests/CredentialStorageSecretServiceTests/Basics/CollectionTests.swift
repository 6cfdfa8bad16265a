#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Collections and groups of gnome-keyring", .serialized, .timeLimit(.minutes(5)))
    struct CollectionTests {
        private func builder(_ keyring: GnomeKeyring, _ service: String = "org.example.collections")
            -> StorageBuilder.SecretService
        {
            StorageBuilder.SecretService(service: service).environment(keyring.bus.environment).lookingAhead(false)
        }

        private func category(_ body: () throws -> Void) -> UnavailableCategory? {
            do { try body() } catch { return (error as? StorageError)?.category }
            return nil
        }

        @Test("a labelled collection, the session's and the default one share nothing")
        func apart() throws {
            let keyring = try GnomeKeyring()
            try keyring.makeCollection("Second one")
            let stores = [
                builder(keyring).build(), builder(keyring).collection(.session).build(),
                builder(keyring).collection(.labelled("Second one")).build(),
            ]
            for (index, store) in stores.enumerated() { try store.set("\(index)", forKey: "name") }
            for (index, store) in stores.enumerated() { #expect(try store.string(forKey: "name") == "\(index)") }
            #expect(try stores[1].protection.durability == .volatile)
            #expect(try stores[2].protection.durability == .durable)
            try stores[2].deleteAll()
            #expect(try stores.map { try $0.keys().count } == [1, 1, 0])
        }

        @Test("a collection that is not there is a typed error, and nothing is made elsewhere")
        func missing() throws {
            let keyring = try GnomeKeyring()
            for builder in [builder(keyring).collection(.labelled("None")), builder(keyring).accessGroup("suite")] {
                for prompts in [StorageBuilder.SecretService.Prompts.silent, .never] {
                    let store = builder.prompts(prompts).build()
                    #expect(category { try store.set("value", forKey: "name") } == .groupUnusable)
                    #expect(category { _ = try store.get("name") } == .groupUnusable)
                    #expect(store.probe().reason?.category == .groupUnusable)
                }
            }
            #expect(try builder(keyring).build().keys().isEmpty)
            #expect(try keyring.bus.items(["xdg:schema": "org.swift-credential-storage.Entry"]).isEmpty)
        }

        @Test("services share a group, and the group's entries are not their private ones")
        func group() throws {
            let keyring = try GnomeKeyring()
            let path = try keyring.makeCollection("suite")
            let one = builder(keyring, "org.example.one").accessGroup("suite").build()
            let other = builder(keyring, "org.example.other").accessGroup("suite").build()
            try one.set("shared", forKey: "name")
            #expect(try other.string(forKey: "name") == "shared")
            try other.set("changed", forKey: "name")
            #expect(try one.string(forKey: "name") == "changed")
            #expect(try builder(keyring, "org.example.one").build().get("name") == nil)
            try keyring.bus.lock(path)
            #expect(category { _ = try one.get("name") } == .groupUnusable)
        }

        @Test("lock, unlock and the state between them")
        func locking() async throws {
            let keyring = try GnomeKeyring(.passwordless)
            let store = builder(keyring).build()
            #expect(try store.isLocked)
            #expect(store.probe().isLocked == true)
            try await store.set("value", forKey: "name")
            #expect(try !store.isLocked)
            #expect(store.probe() == .usable)
            try store.lock()
            #expect(try store.isLocked)
            try store.unlock()
            #expect(try !store.isLocked)
            try await store.waitUntilAvailable()
            #expect(try await store.string(forKey: "name") == "value")
        }

        @Test("a wait for an open collection ends when somebody opens it")
        func waiting() async throws {
            let keyring = try GnomeKeyring()
            let store = builder(keyring).build()
            try await store.set("value", forKey: "name")
            try keyring.lockDefault()
            #expect(category { _ = try store.get("name") } == .locked)
            async let isOver: Void = store.waitUntilAvailable()
            try keyring.unlockDefault()
            try await isOver
            #expect(try await store.string(forKey: "name") == "value")
        }

        @Test("unusual names survive a keyring without a password")
        func names() throws {
            let keyring = try GnomeKeyring(.passwordless)
            let store = builder(keyring).build()
            let names = ["line\nbreak", " ", "a\\nb", "\u{FEFF}x", "[1]\nsecret=x", "plain"]
            for name in names { try store.set("value of \(name)", forKey: name) }
            try keyring.restart(.passwordless)
            for name in names { #expect(try store.string(forKey: name) == "value of \(name)") }
            #expect(try store.keys().count == names.count)
        }
    }
#endif

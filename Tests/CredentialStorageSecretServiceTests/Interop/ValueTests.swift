#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Values in gnome-keyring", .serialized, .timeLimit(.minutes(10)))
    struct ValueTests {
        @Test("every value survives a restart of the daemon, and so does a foreign item", arguments: [false, true])
        func restart(_ isEncrypted: Bool) throws {
            let start: GnomeKeyring.Start = isEncrypted ? .unlocked("password") : .passwordless
            let keyring = try GnomeKeyring(start)
            let foreign = try keyring.bus.secretTool(
                "store", "--label=foreign", "app", "other", input: Data("theirs".utf8))
            #expect(foreign.status == 0)
            let store = keyring.bus.store
            for (name, value) in Samples.all { try store.set(value, forKey: name) }
            try keyring.restart(start)
            // Through the same store, and through one that has seen nothing yet.
            for (name, value) in Samples.all { #expect(try store.get(name) == value, "\(name)") }
            let fresh = keyring.bus.store
            for (name, value) in Samples.all {
                let isSame = try fresh.withSecret(forKey: name) { span in
                    span?.withUnsafeBufferPointer { Data(buffer: $0) } == value
                }
                #expect(isSame, "\(name) in locked memory")
            }
            let bulk = try fresh.readAll()
            #expect(bulk.isComplete)
            #expect(bulk.entries.count == Samples.all.count)
            for (name, value) in Samples.all { #expect(bulk[key: name] == value, "\(name) in bulk") }
            #expect(try keyring.bus.secretTool("lookup", "app", "other").text == "theirs")
            for (name, _) in Samples.all { #expect(try store.delete(name)) }
            #expect(try store.keys() == [])
            try keyring.restart(start)
            #expect(try store.keys() == [])
            #expect(try keyring.bus.secretTool("lookup", "app", "other").text == "theirs")
        }

        @Test("a value can be replaced by any other, the empty one included")
        func replacing() throws {
            let keyring = try GnomeKeyring()
            let store = keyring.bus.store
            for (name, value) in Samples.all {
                try store.set(value, forKey: "entry")
                #expect(try store.get("entry") == value, "\(name)")
            }
            #expect(try keyring.bus.items(attributes("entry")).count == 1)
        }

        @Test("a value over the limit is refused before the bus is asked")
        func limit() throws {
            let store = StorageBuilder.SecretService(service: service).environment(Environment { _ in nil })
                .log(.silent).lookingAhead(false).build()
            #expect(throws: StorageError.writeError(cause: .valueTooLarge(limit: 1 << 20))) {
                try store.set(Data(count: 1 << 20 + 1), forKey: "large")
            }
            #expect(throws: StorageError.readError(cause: .invalidEntryKey)) { try store.get("") }
        }
    }
#endif

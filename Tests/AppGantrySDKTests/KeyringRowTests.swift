#if SecretService
    import AppGantrySDK
    import CredentialStorage
    @testable import CredentialStorageAutomatic
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    /// The rows about the user's keyring, over gnome-keyring on a bus of its own.
    @Suite(
        "The token in the user's keyring", .serialized, .timeLimit(.minutes(3)),
        .enabled(
            if: ProcessInfo.processInfo.environment["CREDENTIAL_WITHOUT_BUS"] == nil, "stores over a bus are left out"))
    struct KeyringRowTests {
        private let server: UpdateServer

        init() throws { server = try UpdateServer() }

        private func storage(_ keyring: GnomeKeyring) -> SecretServiceStorage {
            StorageBuilder.SecretService(service: "org.example.updates").environment(keyring.bus.environment)
                .log(.silent).build()
        }

        @Test("T5, T6, T21: the token is one item of the keyring, and a new client finds it")
        func item() async throws {
            let keyring = try GnomeKeyring()
            let storage = storage(keyring)
            let client = server.client(StorageTokenStore(storage))
            _ = try await client.checkForUpdate()
            try await client.enroll()
            #expect(try await storage.keys() == ["install-token"])
            _ = try await server.client(StorageTokenStore(self.storage(keyring))).checkForUpdate()
            #expect(try await server.calls() == ["enroll", "updates", "enroll", "updates"])
            #expect(client.tokenBackend == .secretService)
            #expect(client.coordination == .machine)
        }

        @Test("T20, T23, T30: a locked keyring is an error, never an enrolment, and works again when it is unlocked")
        func locked() async throws {
            let keyring = try GnomeKeyring()
            let storage = storage(keyring)
            let client = server.client(StorageTokenStore(storage))
            _ = try await client.checkForUpdate()
            try storage.lock()
            let error = await failure { try await client.checkForUpdate() }
            guard case .storage(.readError(let cause)) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect([.locked, .promptNeeded].contains(cause.category))
            #expect(try await server.calls() == ["enroll", "updates"])
            try keyring.unlockDefault()
            _ = try await client.checkForUpdate()
            #expect(try await server.calls() == ["enroll", "updates", "updates"])
        }

        @Test("T6, T23: the default store is a vault under a key in the keyring, and stays one when that is locked")
        func defaultStore() async throws {
            let keyring = try GnomeKeyring()
            let home = try UpdateHome()
            for _ in 0..<2 {
                #expect(try await home.run(server, keyring.bus.variables, options: ["default"]) == "file\n")
            }
            #expect(try await server.calls() == ["enroll", "updates", "updates"])
            let choice = keyring.bus.dataHome + "/org.example.updates/credentials.choice"
            #expect(try String(contentsOfFile: choice, encoding: .utf8).contains("keyring-vault"))
            try storage(keyring).lock()
            let output = try await home.run(server, keyring.bus.variables, options: ["default"])
            #expect(output.hasPrefix("failed: storage(readError(unavailable(read, "), "\(output)")
            #expect(try await server.calls().count == 3)
        }

        @Test("T26: without a keyring the default store is a file, not memory")
        func defaultWithoutKeyring() async throws {
            let home = try UpdateHome()
            for _ in 0..<2 { #expect(try await home.run(server, options: ["default"]) == "file\n") }
            #expect(try await server.calls() == ["enroll", "updates", "updates"])
        }

        @Test("T20, T30: without a bus, with the keyring named, every call is an error and none an enrolment")
        func noBus() async throws {
            let storage = StorageBuilder.SecretService(service: "org.example.updates")
                .environment(Environment { _ in nil }).log(.silent).build()
            let client = server.client(StorageTokenStore(storage))
            let error = await failure { try await client.checkForUpdate() }
            guard case .storage(let inner) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(inner.category == .noSessionBus)
            #expect(try await server.calls().isEmpty)
        }
    }
#endif

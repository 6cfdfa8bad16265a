#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import SecretServiceTestSupport
    import Testing

    @Suite("A keyring without room on its disk", .serialized, .timeLimit(.minutes(5)))
    struct FullDiskTests {
        @Test(
            "a change that was not saved is not confirmed, and is no fault of the value",
            arguments: GnomeKeyring.Shortage.possible)
        func changes(_ shortage: GnomeKeyring.Shortage) throws {
            let keyring = try GnomeKeyring(shortage: shortage)
            let store = keyring.bus.store
            try store.set("value", forKey: "present")
            try keyring.setFull(true)
            for operation in [Operation.set, .replace, .delete] {
                #expect(operation.run(store) == .unavailable(.notConfirmed), "\(operation)")
            }
            for operation in [Operation.get, .getAbsent, .readAll] {
                #expect(operation.run(store) == operation.fine, "\(operation)")
            }
            try keyring.setFull(false)
            for operation in [Operation.set, .replace, .delete] {
                #expect(operation.run(store) == operation.fine, "\(operation)")
            }
        }
    }
#endif

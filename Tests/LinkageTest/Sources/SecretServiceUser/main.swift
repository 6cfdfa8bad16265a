#if WITH_SECRET_SERVICE
    import CredentialStorage
    import CredentialStorageSecretService
    import FoundationEssentials

    // The Secret Service store, used as a program outside the package uses it, where there is no bus.

    func require(_ condition: Bool, _ what: String) {
        guard condition else { fatalError("not so: \(what)") }
    }

    let storage = StorageBuilder.SecretService(service: "org.example.linkage")
        .collection(.labelled("Work"))
        .accessGroup("suite")
        .accessibility(.afterFirstUnlockThisDeviceOnly)
        .prompts(.allowed(deadline: .seconds(60)))
        .deadline(.seconds(5))
        .sessionEncryption(.required)
        .log(.silent)
        .build()
    let atomic: any AtomicStorage = storage
    let inspectable: any InspectableStorage = storage
    require(inspectable.backend == .secretService, "a store says what it is")
    require(try inspectable.protection.source == .provider, "and what holds its key")
    do {
        _ = try atomic.get("k")
        fatalError("not so: without a bus nothing is read")
    } catch let error as StorageError {
        require(error.category == .noSessionBus, "no bus is no absence")
    }
    let tokens: any AtomicTokenStore = SecretServiceTokenStore(service: "org.example.linkage")
    do {
        _ = try tokens.load()
        fatalError("not so: without a bus no token is read")
    } catch let error as StorageError {
        require(error.category == .noSessionBus, "no bus is no absence of a token")
    }
    let state: any SessionState = LogindSession()
    _ = state
    do {
        try keepInKeyring("t")
        fatalError("not so: without a bus nothing is kept")
    } catch let error as StorageError {
        require(error.category == .noSessionBus, "no bus is no place for a token")
    }
    do {
        try storage.unlock()
        fatalError("not so: without a bus nothing is unlocked")
    } catch {
        require(error.category == .noSessionBus, "no bus is told apart from a lock")
    }
    print("SecretServiceUser: right")
#else
    import CredentialStorageSecretService

    // Without the trait the module is there, so that a manifest need not know, and holds nothing.
    print("SecretServiceUser: right, without the trait")
#endif

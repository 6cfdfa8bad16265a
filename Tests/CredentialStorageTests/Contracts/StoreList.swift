internal import CredentialStorage
internal import CredentialTestSupport

/// The stores of the core that run the contracts; a new store is one row in each list that it belongs to.
enum StoreList {
    static let storage: [StoreUnderTest<any Storage>] = [
        StoreUnderTest("memory") { StorageBuilder.InMemory().build() }
    ]

    static let atomic: [StoreUnderTest<any AtomicStorage>] = [
        StoreUnderTest("memory") { StorageBuilder.InMemory().build() }
    ]

    static let transactional: [StoreUnderTest<any TransactionalStorage>] = [
        StoreUnderTest("memory") { StorageBuilder.InMemory().build() }
    ]

    static let tokens: [StoreUnderTest<any TokenStore>] = [
        StoreUnderTest("memory") { InMemoryTokenStore() },
        StoreUnderTest("entry of a memory store") { StorageTokenStore(StorageBuilder.InMemory().build()) },
    ]

    static let atomicTokens: [StoreUnderTest<any AtomicTokenStore>] = [
        StoreUnderTest("memory") { InMemoryTokenStore() },
        StoreUnderTest("entry of a memory store") { StorageTokenStore(StorageBuilder.InMemory().build()) },
    ]
}

internal import CredentialStorage
internal import CredentialStorageTesting
internal import CredentialTestSupport
internal import Testing

@Suite("Contracts", .timeLimit(.minutes(15)))
struct ContractTests {
    @Test("a store keeps the contract of Storage", arguments: StoreList.storage, StorageContract.allCases)
    func storage(_ store: StoreUnderTest<any Storage>, _ rule: StorageContract) async throws {
        try await rule.check(settings: store.settings, store.make)
    }

    @Test("an atomic store keeps its contract", arguments: StoreList.atomic, AtomicStorageContract.allCases)
    func atomic(_ store: StoreUnderTest<any AtomicStorage>, _ rule: AtomicStorageContract) async throws {
        try await rule.check(settings: store.settings, store.make)
    }

    @Test(
        "a transactional store keeps its contract",
        arguments: StoreList.transactional, TransactionalStorageContract.allCases)
    func transactional(
        _ store: StoreUnderTest<any TransactionalStorage>,
        _ rule: TransactionalStorageContract
    ) async throws {
        try await rule.check(settings: store.settings, store.make)
    }

    @Test("a token store keeps its contract", arguments: StoreList.tokens, TokenStoreContract.allCases)
    func tokens(_ store: StoreUnderTest<any TokenStore>, _ rule: TokenStoreContract) async throws {
        try await rule.check(settings: store.settings, store.make)
    }

    @Test(
        "an atomic token store keeps its contract",
        arguments: StoreList.atomicTokens, AtomicTokenStoreContract.allCases)
    func atomicTokens(
        _ store: StoreUnderTest<any AtomicTokenStore>,
        _ rule: AtomicTokenStoreContract
    ) async throws {
        try await rule.check(settings: store.settings, store.make)
    }
}

extension StoreUnderTest {
    /// What the row declares; less work where a sanitizer makes everything slow.
    fileprivate var settings: ContractSettings {
        let isSlow = pace == .slow
        if Sanitizer.isThreadSanitizer {
            return ContractSettings(
                nameLimit: nameLimit, entryCount: 100, rounds: isSlow ? 5 : 20, deadline: .seconds(600))
        }
        return isSlow
            ? ContractSettings(nameLimit: nameLimit, entryCount: 200, rounds: 20, deadline: .seconds(300))
            : ContractSettings(nameLimit: nameLimit)
    }
}

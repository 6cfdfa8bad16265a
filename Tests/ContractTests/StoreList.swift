internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing
internal import CredentialTestSupport

/// The stores that run the contracts.
///
/// A new store is one row, in the list of the strongest contract that it keeps; it
/// inherits the weaker ones.
enum StoreList {
    private static let prefix = "prefix/"

    static let transactional: [StoreUnderTest<any TransactionalStorage>] = [
        StoreUnderTest("memory") { StorageBuilder.InMemory().build() },
        StoreUnderTest("file") { try TemporaryVault.make() },
        StoreUnderTest("file under a key in a memory store") {
            try TemporaryVault.make(keySource: .entry("vault-key", in: StorageBuilder.InMemory().build()))
        },
        StoreUnderTest("prefixed memory", nameLimit: EntryKey.maximumLength - prefix.utf8.count) {
            StorageBuilder.InMemory().build().prefixed(prefix)
        },
        StoreUnderTest("prefixed file", nameLimit: EntryKey.maximumLength - prefix.utf8.count) {
            try TemporaryVault.make().prefixed(prefix)
        },
        StoreUnderTest("observed memory") { StorageBuilder.InMemory().build().observed { _ in } },
        StoreUnderTest("sealed memory") { try SealedStores.overMemory(.sealed) },
        StoreUnderTest("sealed memory with clear names") { try SealedStores.overMemory(.clear) },
        StoreUnderTest("sealed file") { try SealedStores.overFile(.sealed) },
        StoreUnderTest("sealed file with clear names") { try SealedStores.overFile(.clear) },
        StoreUnderTest("sealed memory under two keys") { try SealedStores.underTwoKeys() },
    ]

    static let atomic: [StoreUnderTest<any AtomicStorage>] =
        transactional.map { row in row.map { $0 } } + KeyringRows.atomic + [
            StoreUnderTest("automatic without a keyring") {
                try TemporaryAutomatic.make("org.example.contract", on: [:])
            },
            StoreUnderTest("sealed memory without transactions, under two keys") {
                try SealedStores.underTwoKeysWithoutTransactions()
            },
        ]

    static let storage: [StoreUnderTest<any Storage>] = atomic.map { row in row.map { $0 } }

    static let atomicTokens: [StoreUnderTest<any AtomicTokenStore>] =
        [
            StoreUnderTest("memory") { InMemoryTokenStore() },
            StoreUnderTest("entry of a memory store") { StorageTokenStore(StorageBuilder.InMemory().build()) },
            StoreUnderTest("entry of a file store") { StorageTokenStore(try TemporaryVault.make()) },
        ] + KeyringRows.atomicTokens

    static let tokens: [StoreUnderTest<any TokenStore>] = atomicTokens.map { row in row.map { $0 } }
}

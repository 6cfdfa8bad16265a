internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing
internal import CredentialStorageTesting

/// Stores that seal what other stores keep, each under a new key.
enum SealedStores {
    /// A sealed value of 1 MiB is a little more than that.
    static let roomForSealed = 2 << 20

    private static var newKey: SealingKey { get throws { try SealingKey(SealingKey.makeBytes()) } }
    private static var oneKey: SealingKeys { get throws { SealingKeys(try newKey) } }
    /// While two keys are in use, an entry may stand at either of two places.
    private static var twoKeys: SealingKeys { get throws { SealingKeys(try newKey, others: [try newKey]) } }
    private static var memory: InMemoryStorage { StorageBuilder.InMemory().valueLimit(roomForSealed).build() }

    static func over<Base: Storage>(_ base: Base, _ names: SealedNames) throws -> SealedStorage<Base> {
        base.sealed(with: try oneKey).names(names)
    }

    static func overMemory(_ names: SealedNames) throws -> SealedStorage<InMemoryStorage> {
        memory.sealed(with: try oneKey).names(names)
    }

    static func overFile(_ names: SealedNames) throws -> SealedStorage<EncryptedFileStorage> {
        try TemporaryVault.make(valueLimit: roomForSealed).sealed(with: oneKey).names(names)
    }

    static func underTwoKeys() throws -> SealedStorage<InMemoryStorage> { memory.sealed(with: try twoKeys) }

    static func underTwoKeysWithoutTransactions() throws -> some AtomicStorage {
        WithoutTransactions(base: memory).sealed(with: try twoKeys)
    }
}

/// A store that is atomic and no more.
private struct WithoutTransactions<Base: AtomicStorage>: InterceptingStorage, AtomicStorage {
    let base: Base

    func intercept<R>(_ call: StorageCall, _ body: () throws -> R) throws -> R { try body() }
}

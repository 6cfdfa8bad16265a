internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing
internal import CredentialTestSupport

/// An empty vault in a directory of its own, which goes away with the process.
enum TemporaryVault {
    static func make(valueLimit: Int = 1 << 20, keySource: KeySource? = nil) throws -> EncryptedFileStorage {
        let directory = try TemporaryDirectory()
        let key = directory.path + "/key"
        let storage = StorageBuilder.EncryptedFile(service: "contract")
            .path(directory.path + "/vault/credentials.vault")
            .keySource(keySource ?? .keyFile(key))
            .valueLimit(valueLimit)
            .build()
        try storage.create()
        return storage
    }
}

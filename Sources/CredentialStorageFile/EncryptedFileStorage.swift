public import CredentialStorage

/// skeleton
public final class EncryptedFileStorage: Sendable {
    let options: StorageBuilder.EncryptedFile.Options
    init(_ options: StorageBuilder.EncryptedFile.Options) { self.options = options }
}

import CredentialStorage
import CredentialStorageSecretService

func keepInKeyring(_ token: String) throws {
    let keyring = StorageBuilder.SecretService(service: "org.example.app").build()
    try keyring.set(token, forKey: "api-token")
}

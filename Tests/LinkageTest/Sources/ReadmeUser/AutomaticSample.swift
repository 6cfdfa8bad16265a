import CredentialStorage
import CredentialStorageAutomatic

func keepWhereItFits(_ token: String) throws {
    let storage = StorageBuilder.automatic(service: "org.example.app").build()
    try storage.set(token, forKey: "api-token")
    print(try storage.selection.rule.sentence)
}

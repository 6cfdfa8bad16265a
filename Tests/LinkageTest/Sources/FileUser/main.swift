import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import FoundationEssentials

// The file backend, used as a program outside the package uses it. Its argument is a directory of its own.

func require(_ condition: Bool, _ what: String) {
    guard condition else { fatalError("not so: \(what)") }
}

guard CommandLine.arguments.count == 2 else { fatalError("usage: FileUser DIRECTORY") }
let path = CommandLine.arguments[1] + "/credentials.vault"

let builder = StorageBuilder.EncryptedFile(service: "org.example.linkage").path(path)
let storage = builder.keySource(.passphrase { "correct horse" }).build()
let transactional: any TransactionalStorage = storage
let inspectable: any InspectableStorage = storage
require(try transactional.get("k") == nil, "a store without a file is empty")
try transactional.set("value", forKey: "k")
try transactional.update { batch in try batch.set("more", forKey: "l") }
require(inspectable.backend == .file, "a store says what it is")
require(try inspectable.protection.source == .passphrase, "and what holds its key")
storage.close()

let again = builder.keySource(.passphrase { "correct horse" }).build()
require(try again.getAll().count == 2, "another store object reads the same file")

let wrong: any Storage = builder.keySource(.passphrase { "another" }).build()
do {
    _ = try wrong.get("k")
    fatalError("not so: a wrong passphrase opens nothing")
} catch let error as StorageError {
    require(error.cause == .wrongKey, "a wrong passphrase is told apart from damage")
}

let sealingKey = try SealingKey(SealingKey.makeBytes())
let sealed = StorageBuilder.InMemory().build().sealed(with: SealingKeys(sealingKey)).names(.sealed)
try sealed.set("value", forKey: "k")
require(try sealed.keys() == ["k"] && sealed.reseal() == 0, "a sealed store keeps names")
let opened = StorageBuilder.sealed(over: storage, with: SealingKeys(sealingKey), names: .clear)
require(opened is any TransactionalStorage, "a sealed store is what its base is")
print("FileUser: right")

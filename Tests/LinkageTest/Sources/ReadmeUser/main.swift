import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import FoundationEssentials

let storage = StorageBuilder.EncryptedFile(service: "org.example.app")
    .keySource(.passphrase { try askForPassphrase() })
    .build()

try storage.set("a token", forKey: "api-token")
let token = try storage.string(forKey: "api-token")  // nil: proven absent

let bulk = try storage.readAll()  // what opens, and what does not
for omission in bulk.omitted { print("unreadable:", omission.key ?? "an entry without a name") }

try storage.update { batch in  // all or nothing
    try batch.set("new", forKey: "api-token")
    try batch.delete("old-token")
}

try storage.withSecret(forKey: "api-token") { bytes in  // locked memory, wiped afterwards
    if let bytes { send(bytes) }  // a Span<UInt8>, good inside these braces only
}

let isFirst = try storage.compareAndSet("installation", expected: nil, new: Data("1".utf8))  // only if absent
try storage.withLock("update", timeout: .seconds(5)) {  // one holder among all processes
    if isFirst { print("installed") }
}

// What the page shows in other places, and what must be so after it.
require(token == "a token" && bulk.isComplete && isFirst, "the samples do what the page says")
require(try readToken(from: storage) == "new", "the sample about errors reads")
print("ReadmeUser: right")

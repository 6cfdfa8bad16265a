internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing
internal import FoundationEssentials
internal import Glibc

/// Vaults under a key file, as this benchmark makes them.
enum Vaults {
    static func key(in directory: String) -> String { directory + "/key/vault.key" }

    static func file(in directory: String) -> String { directory + "/vault/credentials.vault" }

    static func open(in directory: String) -> EncryptedFileStorage {
        StorageBuilder.EncryptedFile(service: "benchmark").path(file(in: directory))
            .keySource(.keyFile(key(in: directory))).build()
    }

    /// Makes a vault with all entries of the workload.
    static func make(_ workload: Workload, in directory: String) throws -> EncryptedFileStorage {
        try makeDirectory(directory + "/vault")
        try makeDirectory(directory + "/key")
        let store = open(in: directory)
        try store.create()
        try fill(store, workload)
        return store
    }

    /// Writes all entries, in batches.
    static func fill(_ store: EncryptedFileStorage, _ workload: Workload) throws {
        // A commit holds at most 64 MiB.
        let step = min(10_000, max(1, (16 << 20) / (workload.valueBytes + 256)))
        for start in stride(from: 0, to: workload.entries, by: step) {
            try store.update { batch in
                for number in start..<min(start + step, workload.entries) {
                    try batch.set(workload.value(number), forKey: workload.names[number])
                }
            }
        }
    }
}

/// Makes a peer's store with all entries of the workload.
func makePeer(_ subject: Subject, _ workload: Workload, in directory: String) throws -> PeerStore {
    let own = directory + "/" + subject.folder
    try makeDirectory(own)
    let store = try PeerStore(subject, in: own)
    try store.batch {
        for number in 0..<workload.entries {
            try store.set(workload.value(number), forKey: workload.names[number])
        }
    }
    return store
}

extension Subject {
    /// The folder of a peer's files.
    var folder: String { rawValue.replacing(" ", with: "-") }
}

func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
}

/// The size of a file.
func bytes(of path: String) throws -> Int {
    var status = stat()
    try check(stat(path, &status) == 0, "a file is missing")
    return Int(status.st_size)
}

/// The bytes of all files in a directory.
func bytes(in directory: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: directory).reduce(0) {
        try $0 + bytes(of: directory + "/" + $1)
    }
}

import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation

/// What is done while the power may go, and what must be true at each moment.
struct CrashScenario: Sendable, CustomStringConvertible {
    /// What a vault holds; `nil` in the place of it is no vault at all.
    struct Content: Equatable, Sendable {
        var entries: [String: Data] = [:]
        var omitted = 0
    }

    struct Step: Sendable {
        let run: @Sendable (EncryptedFileStorage) throws -> Void
        let after: Content?

        init(_ after: Content?, _ run: @escaping @Sendable (EncryptedFileStorage) throws -> Void) {
            self.run = run
            self.after = after
        }
    }

    let name: String
    /// What the vault holds at the beginning.
    let before: Content?
    let steps: [Step]
    /// Honest states on the way of one step.
    var between: [Content?] = []
    /// Changes the vault's bytes before anything is done.
    var damage: (@Sendable (inout [UInt8]) -> Void)?
    /// Whether the old file is to be kept when the last step happened.
    var keepsOldFile = false

    var description: String { name }

    static let vault = "/data/credentials.vault"
    static let key = "/keys/vault.key"
    static let boot = "/proc/sys/kernel/random/boot_id"

    static func store(on disk: ModelDisk, key: String = key) -> EncryptedFileStorage {
        StorageBuilder.EncryptedFile(service: "test").path(vault).keySource(.keyFile(key)).log(.silent)
            .fileSystem(disk).lookingAhead(false).build()
    }

    /// A disk that holds the beginning, all of it durable.
    func disk() throws -> ModelDisk {
        var directory = ModelDisk.File()
        (directory.kind, directory.mode) = (.directory, 0o700)
        let (key, boot) = (Self.file([UInt8](repeating: 5, count: 32)), Self.file(Array("first boot".utf8)))
        let disk = ModelDisk(["/data": directory, "/keys": directory, Self.key: key, Self.boot: boot])
        guard let before else { return disk }
        let store = Self.store(on: disk)
        try store.create()
        for (name, value) in before.entries.sorted(by: { $0.key < $1.key }) { try store.set(value, forKey: name) }
        if let damage {
            disk.state.withLock { state in
                guard let number = state.names[Self.vault] else { return }
                var bytes = state.files[number]!.bytes
                damage(&bytes)
                state.files[number]!.make(.write(offset: 0, bytes: bytes))
            }
        }
        return PowerCut(kind: .everything).image(of: disk)
    }

    static func file(_ bytes: [UInt8]) -> ModelDisk.File {
        var file = ModelDisk.File()
        (file.bytes, file.durable) = (bytes, bytes)
        return file
    }

    /// What is on a disk, as a process after the next boot finds it.
    static func content(of disk: ModelDisk) throws -> Content? {
        guard disk.bytes(at: vault) != nil else { return nil }
        let all = try store(on: disk).readAll()
        guard all.lost == 0 else { throw FileProblem(description: "\(all.lost) losses") }
        return Content(
            entries: Dictionary(uniqueKeysWithValues: all.entries.map { ($0.key, $0.value) }),
            omitted: all.omitted.count)
    }
}

extension CrashScenario {
    private static let old = Content(entries: ["a": Data(count: 10), "b": Data(count: 20)])

    private static func with(_ changes: [String: Int?], _ content: Content = old) -> Content {
        var content = content
        for (name, count) in changes { content.entries[name] = count.map { Data(count: $0) } }
        return content
    }

    static let all: [CrashScenario] = [
        CrashScenario(
            name: "create and first writes", before: nil,
            steps: [
                Step(Content()) { try $0.create() },
                Step(with(["x": 5], Content())) { try $0.set(Data(count: 5), forKey: "x") },
            ]),
        CrashScenario(
            name: "first set", before: nil,
            steps: [Step(with(["x": 5], Content())) { try $0.set(Data(count: 5), forKey: "x") }],
            between: [Content()]),
        CrashScenario(
            name: "set, overwrite, delete", before: old,
            steps: [
                Step(with(["x": 900])) { try $0.set(Data(count: 900), forKey: "x") },
                Step(with(["x": 900, "a": 11])) { try $0.set(Data(count: 11), forKey: "a") },
                Step(with(["x": 900, "a": 11, "b": nil])) { try $0.delete("b") },
                Step(with(["x": 900, "a": 12, "b": nil])) { try $0.set(Data(count: 12), forKey: "a") },
            ]),
        CrashScenario(
            name: "batches", before: old,
            steps: [
                Step(with(["x": 900, "a": nil, "b": 21])) { store in
                    try store.update { batch in
                        try batch.delete("a")
                        try batch.set(Data(count: 900), forKey: "x")
                        try batch.set(Data(count: 21), forKey: "b")
                    }
                },
                Step(Content()) { try $0.deleteAll() },
            ]),
        CrashScenario(
            name: "extension of the room", before: old,
            steps: [
                Step(with(["x": 60_000])) { try $0.set(Data(count: 60_000), forKey: "x") },
                Step(with(["x": 60_000, "y": 3])) { try $0.set(Data(count: 3), forKey: "y") },
            ]),
        CrashScenario(
            name: "compaction and writes", before: old,
            steps: [
                Step(with(["a": 30])) { try $0.set(Data(count: 30), forKey: "a") },
                Step(with(["a": 30])) { try $0.compact() },
                Step(with(["a": 31])) { try $0.set(Data(count: 31), forKey: "a") },
            ]),
        CrashScenario(
            name: "compaction that nobody asked for", before: with(["x": 100_000, "y": 60_000]),
            steps: [
                Step(with(["y": 60_000])) { try $0.delete("x") },
                Step(with([:])) { try $0.delete("y") },
                Step(with(["z": 1])) { try $0.set(Data(count: 1), forKey: "z") },
            ]),
        CrashScenario(
            name: "new keys", before: old,
            steps: [
                Step(old) { try $0.rotateDataKey() },
                Step(with(["a": 30])) { try $0.set(Data(count: 30), forKey: "a") },
                Step(with(["a": 30])) { try $0.rotateMasterKey() },
                Step(with(["a": 31])) { try $0.set(Data(count: 31), forKey: "a") },
            ]),
        CrashScenario(
            name: "repair", before: old,
            steps: [
                Step(with(["a": nil])) { _ = try $0.repair() },
                Step(with(["a": 7])) { try $0.set(Data(count: 7), forKey: "a") },
            ],
            damage: { $0[16384 + 120] ^= 1 }, keepsOldFile: true),
        CrashScenario(
            name: "reset", before: old,
            steps: [
                Step(Content()) { try $0.reset() },
                Step(with(["a": 7], Content())) { try $0.set(Data(count: 7), forKey: "a") },
            ], keepsOldFile: true),
    ]
}

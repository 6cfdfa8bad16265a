import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("A failure or a stop at every call to the disk", .timeLimit(.minutes(10)))
struct FaultSweepTests {
    /// What is done while the disk fails.
    struct Work: Sendable, CustomTestStringConvertible {
        let name: String
        let isMade: Bool
        let run: @Sendable (EncryptedFileStorage) throws -> Void
        /// What the vault may hold afterwards when it was not answered, and must hold when it was.
        let before: [String: Int]
        let after: [String: Int]

        var testDescription: String { name }
    }

    private static let old = ["a": 10, "b": 20]

    private static let works = [
        Work(name: "create", isMade: false, run: { try $0.create() }, before: [:], after: [:]),
        Work(
            name: "first set", isMade: false, run: { try $0.set(Data(count: 5), forKey: "x") }, before: [:],
            after: ["x": 5]),
        Work(
            name: "set", isMade: true, run: { try $0.set(Data(count: 5), forKey: "x") }, before: old,
            after: ["a": 10, "b": 20, "x": 5]),
        Work(
            name: "overwrite", isMade: true, run: { try $0.set(Data(count: 700), forKey: "a") }, before: old,
            after: ["a": 700, "b": 20]),
        Work(name: "delete", isMade: true, run: { try $0.delete("a") }, before: old, after: ["b": 20]),
        Work(name: "delete all", isMade: true, run: { try $0.deleteAll() }, before: old, after: [:]),
        Work(
            name: "batch", isMade: true,
            run: { store in
                try store.update { batch in
                    try batch.delete("a")
                    try batch.set(Data(count: 900), forKey: "x")
                    try batch.set(Data(count: 21), forKey: "b")
                }
            }, before: old, after: ["b": 21, "x": 900]),
        Work(name: "compaction", isMade: true, run: { try $0.compact() }, before: old, after: old),
        Work(name: "a new data key", isMade: true, run: { try $0.rotateDataKey() }, before: old, after: old),
        Work(name: "a new master key", isMade: true, run: { try $0.rotateMasterKey() }, before: old, after: old),
        Work(
            name: "extension of the room", isMade: true, run: { try $0.set(Data(count: 200_000), forKey: "x") },
            before: old, after: ["a": 10, "b": 20, "x": 200_000]),
    ]

    private static func contents(_ store: EncryptedFileStorage) throws -> [String: Int] {
        let bulk = try store.readAll()
        #expect(bulk.isComplete)
        return Dictionary(uniqueKeysWithValues: bulk.entries.map { ($0.key, $0.value.count) })
    }

    @Test("keeps what was answered, whole batches, and no litter", arguments: works, [true, false])
    private func sweep(work: Work, stops: Bool) throws {
        var number = 1
        while true {
            let vault = try TestVault(isMade: work.isMade)
            if !work.isMade { try writeFile(vault.keyPath, [UInt8](repeating: 5, count: 32)) }
            if work.isMade {
                for (name, count) in Self.old.sorted(by: { $0.key < $1.key }) {
                    try vault.quickStore.set(Data(count: count), forKey: name)
                }
            }
            let target = number
            let isReached = Locked(false)
            // A stop is a process that is killed: no later call does anything. Half of a write has been done.
            let disk = FaultyFileSystem(syncs: false) { number, call in
                guard call.isChange, stops ? number >= target : number == target else { return nil }
                isReached.withLock { $0 = true }
                return number == target ? .failsHalfway(EIO) : .fails(EIO)
            }
            let error = failure { try work.run(vault.builder.fileSystem(disk).build()) }
            guard isReached.withLock({ $0 }) else {
                #expect(error == nil)
                #expect(number > 4)
                return
            }
            let what = "\(work.name), \(stops ? "stopped" : "failing") at call \(number): \(String(describing: error))"
            let found = try Self.contents(vault.quickStore)
            if error == nil {
                #expect(found == work.after, "\(what)")
            } else {
                #expect(found == work.before || found == work.after, "\(what)")
            }
            let isVaultThere = access(vault.path, F_OK) == 0
            if isVaultThere || !stops { #expect(vault.litter().isEmpty, "\(what)") }
            // Everything works again, for a new process and without litter.
            if !isVaultThere { try vault.quickStore.set(Data(count: 1), forKey: "first") }
            try vault.quickStore.set(Data(count: 3), forKey: "next")
            #expect(try vault.quickStore.get("next")?.count == 3, "\(what)")
            #expect(vault.litter().isEmpty, "\(what)")
            #expect(try vault.quickStore.verify()?.isSound == true, "\(what)")
            number += 1
        }
    }

    @Test("an object whose call failed holds in memory what is on the disk", arguments: works.filter(\.isMade))
    private func memory(work: Work) throws {
        var number = 1
        while true {
            let vault = try TestVault()
            for (name, count) in Self.old.sorted(by: { $0.key < $1.key }) {
                try vault.quickStore.set(Data(count: count), forKey: name)
            }
            let (target, isReached) = (number, Locked(false))
            let disk = FaultyFileSystem(syncs: false)
            let store = vault.builder.fileSystem(disk).build()
            _ = try store.keys()
            disk.restart { number, call in
                guard call.isChange, number == target else { return nil }
                isReached.withLock { $0 = true }
                return .failsHalfway(ENOSPC)
            }
            let error = failure { try work.run(store) }
            disk.restart()
            guard isReached.withLock({ $0 }) else { return #expect(error == nil) }
            let what = "\(work.name) at call \(number): \(String(describing: error))"
            let (mine, others) = (try Self.contents(store), try Self.contents(vault.quickStore))
            #expect(mine == others, "\(what)")
            if error != nil, error?.category != .notConfirmed { #expect(mine == work.before, "\(what)") }
            try store.set(Data(count: 3), forKey: "next")
            #expect(try vault.quickStore.get("next")?.count == 3, "\(what)")
            number += 1
        }
    }
}

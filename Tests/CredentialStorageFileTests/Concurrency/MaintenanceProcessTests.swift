import CredentialStorage
import CredentialStorageFile
import CredentialTestSupport
import Foundation
import Testing

@Suite("Concurrency: maintenance beside other processes and threads", .timeLimit(.minutes(10)), .serialized)
struct ConcurrencyMaintenanceTests {
    /// What is in a vault that `churn` writes to is right: whole batches, the constant, nothing omitted.
    private static func check(_ store: EncryptedFileStorage, _ what: String) throws {
        let all = try store.readAll()
        #expect(all.isComplete, "\(what)")
        let entries = Dictionary(uniqueKeysWithValues: all.entries.map { ($0.key, $0.value) })
        for (name, value) in entries where name.hasSuffix(" left") {
            #expect(entries["\(name.dropLast(5)) right"] == value, "\(what)")
        }
        #expect(entries["constant"] == Data("constant".utf8), "\(what)")
    }

    @Test(
        "readers and writers beside compactions or rotations in another process are never wrong",
        arguments: ["compact-for-ever", "rotate-for-ever"])
    func beside(command: String) throws {
        let vault = try TestVault()
        try vault.store.set("constant", forKey: "constant")
        let watchers = try (0..<2).map { _ in try SubjectProcess(["watch", vault.path, vault.keyPath]) }
        for watcher in watchers { #expect(watcher.line() == "started") }
        let writer = try SubjectProcess(["churn", vault.path, vault.keyPath, "one"])
        let compactor = try SubjectProcess([command, vault.path, vault.keyPath])
        for _ in 0..<(runsLongTests ? 500 : Sanitizer.isThreadSanitizer ? 5 : 50) {
            #expect(compactor.line() != nil)
            #expect(writer.line() != nil)
        }
        for process in [writer, compactor] {
            process.signal(SIGKILL)
            #expect(process.finish().status == -SIGKILL)
        }
        for watcher in watchers {
            let result = watcher.finish()
            #expect(result.lines == ["watched"] && result.status == 0)
        }
        try Self.check(vault.store, command)
        #expect(try vault.store.verify()?.isSound == true)
        #expect(vault.litter().isEmpty)
    }

    @Test(
        "writers that are killed while others compact or rotate lose nothing that they acknowledged, without litter",
        arguments: ["compact-for-ever", "rotate-for-ever"])
    func kills(command: String) throws {
        let vault = try TestVault()
        try vault.store.set("constant", forKey: "constant")
        let watcher = vault.store
        var random = SystemRandomNumberGenerator()
        for round in 0..<(runsLongTests ? 300 : Sanitizer.isThreadSanitizer ? 3 : 30) {
            let commands = [
                ["churn", vault.path, vault.keyPath, "one"], [command, vault.path, vault.keyPath],
            ]
            let processes = try commands.map { try SubjectProcess($0) }
            var last = -1
            for process in processes {
                for _ in 0..<Int.random(in: 1...4, using: &random) { last = Int(process.line() ?? "") ?? last }
            }
            usleep(UInt32.random(in: 0..<3000, using: &random))
            for process in processes.shuffled(using: &random) { process.signal(SIGKILL) }
            let results = processes.map { $0.finish() }
            #expect(results.allSatisfy { $0.status == -SIGKILL }, "\(results)")
            let acknowledged = results[0].lines.compactMap(Int.init).last
            for reader in [vault.store, watcher] {
                try Self.check(reader, "round \(round)")
                if let acknowledged {
                    // The pair of that round, or of the one that was in flight.
                    let left = try #require(try reader.get("one left"))
                    let number = Int(String(decoding: left, as: UTF8.self).split(separator: " ")[1])
                    #expect(number == acknowledged || number == acknowledged + 1, "round \(round)")
                }
            }
            #expect(vault.litter().isEmpty, "round \(round)")
            try watcher.set("value", forKey: "watcher")
        }
        #expect(try vault.store.verify()?.isSound == true)
    }

    @Test("threads that read and write beside compactions and rotations lose nothing, and none of them is refused")
    func threads() throws {
        let vault = try TestVault()
        let stores = [vault.quickStore, vault.quickStore]
        try stores[0].set("constant", forKey: "constant")
        let rounds = runsLongTests ? 400 : 60
        try onThreads(6) { index in
            let store = stores[index % 2]
            for round in 0..<rounds {
                switch index {
                case 0: try store.compact()
                case 1: try round % 2 == 0 ? store.rotateDataKey() : store.rotateMasterKey()
                case 2, 3:
                    let value = Data(repeating: UInt8(round % 256), count: 1000 + round)
                    try store.set(value, forKey: "thread \(index)")
                    #expect(try store.get("thread \(index)") == value)
                    try store.update { batch in
                        try batch.set("\(round)", forKey: "left \(index)")
                        try batch.set("\(round)", forKey: "right \(index)")
                    }
                    try store.set("x", forKey: "passing \(index)")
                    #expect(try store.delete("passing \(index)"))
                default:
                    let all = try store.readAll()
                    #expect(all.isComplete)
                    for writer in 2...3 {
                        #expect(all[key: "left \(writer)"] == all[key: "right \(writer)"])
                    }
                    #expect(try store.string(forKey: "constant") == "constant")
                }
            }
        }
        for store in stores + [vault.store] {
            #expect(try store.keys().count == 7)
            #expect(try store.get("thread 2")?.count == 1000 + rounds - 1)
        }
        #expect(try vault.store.verify()?.isSound == true)
        #expect(vault.litter().isEmpty)
    }
}

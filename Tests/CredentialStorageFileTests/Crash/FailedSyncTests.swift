import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("Syncs that fail, and a power cut afterwards", .timeLimit(.minutes(20)))
struct FailedSyncTests {
    /// What may be found under each name, as far as the answers told.
    private struct Belief {
        var allowed: [String: Set<Data?>] = ["a": [Data(count: 10)], "b": [Data(count: 20)]]

        /// Takes in how a write ended.
        mutating func note(_ error: StorageError?, _ changes: [String: Data?]) {
            for (name, value) in changes {
                switch error?.category {
                case nil where error == nil: allowed[name] = [value]
                case .notConfirmed: allowed[name, default: [nil]].insert(value)
                default: break
                }
            }
        }

        func violations(_ store: EncryptedFileStorage) -> [String] {
            let all: BulkRead
            do { all = try store.readAll() } catch { return ["\(error)"] }
            guard all.isComplete else { return ["not complete"] }
            let entries = Dictionary(uniqueKeysWithValues: all.entries.map { ($0.key, $0.value) })
            return Set(allowed.keys).union(entries.keys).filter { name in
                !(allowed[name] ?? [nil]).contains(entries[name])
            }.sorted()
        }
    }

    /// One thing that a program does, and what it changes.
    private typealias Work = (changes: [String: Data?], run: @Sendable (EncryptedFileStorage) throws -> Void)

    private static let works: [Work] = [
        (["x": Data(count: 30)], { try $0.set(Data(count: 30), forKey: "x") }),
        (["a": Data(count: 900)], { try $0.set(Data(count: 900), forKey: "a") }),
        ([:], { try $0.compact() }),
        (["b": nil], { try $0.delete("b") }),
        ([:], { try $0.rotateDataKey() }),
        (
            ["y": Data(count: 5), "a": Data(count: 6)],
            { store in
                try store.update { batch in
                    try batch.set(Data(count: 5), forKey: "y")
                    try batch.set(Data(count: 6), forKey: "a")
                }
            }
        ),
        (["z": Data(count: 70_000)], { try $0.set(Data(count: 70_000), forKey: "z") }),
        ([:], { try $0.rotateMasterKey() }),
        (["x": Data(count: 31)], { try $0.set(Data(count: 31), forKey: "x") }),
    ]

    @Test("answer for what is on the disk, never for what is in memory", arguments: [1, 2, 3])
    func sweep(failures: Int) throws {
        let beginning = try CrashScenario(
            name: "sync", before: CrashScenario.Content(entries: ["a": Data(count: 10), "b": Data(count: 20)]),
            steps: []
        ).disk()
        var hasAnswered: Set<UnavailableCategory> = []
        for number in 0... {
            for seed in 0..<UInt64(runsLongTests ? 60 : 2) {
                let disk = PowerCut(kind: .everything).image(of: beginning)
                disk.failSyncs(number..<number + failures, seed: seed)
                let store = CrashScenario.store(on: disk)
                var belief = Belief()
                for (index, work) in Self.works.enumerated() {
                    let error = failure { try work.run(store) }
                    if let category = error?.category { hasAnswered.insert(category) }
                    belief.note(error, work.changes)
                    let what = "\(failures) failures at sync \(number), seed \(seed), work \(index): \(error as Any)"
                    let mine = belief.violations(store)
                    #expect(mine.isEmpty, "\(what): \(mine)")
                    // What was answered survives from here on, whatever else the disk did with it.
                    for cut in [PowerCut(kind: .nothingElse), PowerCut(kind: .some(seed: seed))] {
                        let image = cut.image(of: disk)
                        let wrong = belief.violations(CrashScenario.store(on: image))
                        #expect(wrong.isEmpty, "\(what), \(cut): \(wrong)")
                    }
                }
                let what = "\(failures) failures at sync \(number), seed \(seed)"
                let others = belief.violations(CrashScenario.store(on: disk))
                #expect(others.isEmpty, "\(what), another process: \(others)")
                #expect(try CrashScenario.store(on: disk).verify()?.isSound == true, "\(what)")
                #expect(disk.paths().allSatisfy { !$0.hasSuffix(".new") }, "\(what)")
                if disk.syncs <= number {
                    #expect(number > 15)
                    #expect(hasAnswered.isSuperset(of: failures == 1 ? [.ioError] : [.ioError, .notConfirmed]))
                    return
                }
            }
        }
    }
}

import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("Rotation of keys", .timeLimit(.minutes(5)))
struct KeyRotationTests {
    private let vault: TestVault
    private let truth: Truth
    private let store: EncryptedFileStorage

    init() throws {
        (vault, truth) = try makeSample()
        store = vault.builder.keyDerivation(.floor).build()
    }

    private func passphrase(_ text: String) -> KeySource { .passphrase { text } }

    private func opened(by source: KeySource) -> EncryptedFileStorage { vault.builder.keySource(source).build() }

    /// A key source that counts how often it is asked.
    private func counted(_ text: String) -> (source: KeySource, count: Locked<Int>) {
        let count = Locked(0)
        let source = KeySource.passphrase { () -> String in
            count.withLock { $0 += 1 }
            return text
        }
        return (source, count)
    }

    @Test("a key that is removed meanwhile stays removed, also where nothing could be published of it")
    func changedMeanwhile() throws {
        let slot = try store.addKey(passphrase("correct horse"))
        // What is written to the companion is smaller than a copy of the header.
        let isRefused = Locked(0)
        let disk = FaultyFileSystem { _, call in
            guard case .write(_, let count) = call, count <= 4096 else { return nil }
            isRefused.withLock { $0 += 1 }
            return .fails(EIO)
        }
        let other = vault.builder.fileSystem(disk).build()
        _ = try other.keys()
        try store.rotateDataKey { done, _ in
            guard done == 1 else { return }
            let error = failure { try other.removeKey(inSlot: slot.id) }
            #expect(error == nil)
        }
        #expect(isRefused.withLock { $0 } > 0)
        #expect(failure { try opened(by: passphrase("correct horse")).get("account 1") }?.cause == .wrongKey)
        #expect(truth.violations(of: vault.store).isEmpty)
    }

    @Test("a new data key seals everything anew, every slot stays, and those who run are not asked again")
    func dataKey() throws {
        try store.addKey(passphrase("correct horse"))
        let (source, count) = counted("correct horse")
        let running = opened(by: source)
        _ = try running.keys()
        let before = try vault.bytes()
        let hashes = Set(RawFrame.all(in: before).map { Array(before[$0.offset + 40..<$0.offset + 56]) })
        var steps: [Int] = []
        try store.rotateDataKey { done, total in
            #expect(total == truth.entries.count)
            steps.append(done)
        }
        #expect(steps == Array(1...truth.entries.count))
        let after = try vault.bytes()
        for frame in RawFrame.all(in: after) {
            #expect(!hashes.contains(Array(after[frame.offset + 40..<frame.offset + 56])))
        }
        for reader in [store, running, vault.store, opened(by: passphrase("correct horse"))] {
            #expect(truth.violations(of: reader).isEmpty)
        }
        try running.set("more", forKey: "more")
        #expect(try store.string(forKey: "more") == "more")
        #expect(count.withLock { $0 } == 1)
        #expect(try store.verify()?.isSound == true)
        #expect(vault.litter().isEmpty)
        // Nothing of the old file fits into the new one.
        try vault.edit { $0.replaceSubrange(16384..<16384 + 512, with: before[16384..<16384 + 512]) }
        let report = try vault.store.readAll()
        #expect(!report.isComplete)
        for entry in report.entries { #expect(truth.entries[entry.key] == entry.value || entry.key == "more") }
    }

    @Test("a new master key wants the key of every slot that stays, and asks those who run again")
    func masterKey() throws {
        try store.addKey(passphrase("two"))
        try store.addKey(passphrase("three"))
        try store.addKey(.keyFile(vault.root + "/four"))
        let (source, count) = counted("two")
        let running = opened(by: source)
        _ = try running.keys()
        let bytes = try vault.bytes()
        let incomplete: [[KeySource]] = [
            [], [passphrase("two")], [passphrase("two"), passphrase("three")],
            [passphrase("two"), passphrase("wrong"), .keyFile(vault.root + "/four")],
        ]
        for sources in incomplete {
            #expect(failure { try store.rotateMasterKey(keeping: sources) }?.category == .keySourceMissing)
        }
        let few: Set<Int> = [1, 2, 3, 4]
        #expect(failure { try store.rotateMasterKey(removing: few) }?.cause == .lastKeySlot)
        #expect(failure { try store.rotateMasterKey(removing: [9]) }?.cause == .conflict)
        #expect(try vault.bytes() == bytes)

        try store.rotateMasterKey(keeping: [.keyFile(vault.root + "/four"), passphrase("two")], removing: [3])
        #expect(try store.keySlots().map(\.id) == [1, 2, 4])
        let readers = [
            store, running, vault.store, opened(by: passphrase("two")), opened(by: .keyFile(vault.root + "/four")),
        ]
        for reader in readers { #expect(truth.violations(of: reader).isEmpty) }
        #expect(count.withLock { $0 } == 2)
        #expect(failure { try opened(by: passphrase("three")).get("account 1") }?.cause == .wrongKey)
        // A header with the removed slot, from the old file, opens nothing of the new one.
        try vault.edit { $0.replaceSubrange(0..<8192, with: bytes[0..<8192]) }
        let back = failure { try opened(by: passphrase("three")).get("account 1") }
        #expect(back != nil, "\(String(describing: back))")
        #expect(truth.violations(of: vault.store).isEmpty)
    }

    @Test("the store's own slot can be the one that goes")
    func ownSlot() throws {
        try store.addKey(passphrase("two"))
        try store.rotateMasterKey(keeping: [passphrase("two")], removing: [1])
        #expect(truth.violations(of: store).isEmpty)
        try store.set("more", forKey: "more")
        #expect(try opened(by: passphrase("two")).string(forKey: "more") == "more")
        #expect(failure { try vault.store.get("more") }?.cause == .wrongKey)
    }

    @Test("stops at damage and changes nothing", arguments: [40, 97, 112, 150])
    func damage(place: Int) throws {
        let frame = RawFrame.all(in: try vault.bytes())[2]
        try vault.edit { $0[frame.offset + place] ^= 1 }
        let bytes = try vault.bytes()
        #expect(failure { try vault.store.rotateDataKey() } == .writeError(cause: .damaged))
        #expect(failure { try vault.store.rotateMasterKey() } == .writeError(cause: .damaged))
        #expect(try vault.bytes() == bytes)
        #expect(vault.litter().isEmpty)
    }

    @Test("without a vault there is nothing to rotate, and an empty one is rotated")
    func empty() throws {
        let none = try TestVault(isMade: false)
        #expect(failure { try none.store.rotateDataKey() }?.cause == .conflict)
        #expect(failure { try none.store.rotateMasterKey() }?.cause == .conflict)
        #expect(try FileManager.default.contentsOfDirectory(atPath: none.root) == ["data"])
        let vault = try TestVault()
        try vault.store.rotateDataKey()
        try vault.store.rotateMasterKey()
        #expect(try vault.store.keys().isEmpty)
        try vault.store.set("value", forKey: "name")
        #expect(try vault.store.string(forKey: "name") == "value")
    }

    @Test("a directory that cannot be synced leaves the outcome unknown, and every entry there")
    func directory() throws {
        let disk = FaultyFileSystem()
        let store = vault.builder.fileSystem(disk).build()
        _ = try store.keys()
        let isRenamed = Locked(false)
        disk.restart { _, call in
            isRenamed.withLock { isRenamed -> FaultyFileSystem.Fault? in
                if call == .rename { isRenamed = true }
                return isRenamed && call == .sync ? .fails(EIO) : nil
            }
        }
        #expect(failure { try store.rotateDataKey() }?.category == .notConfirmed)
        for reader in [store, vault.store] { #expect(truth.violations(of: reader).isEmpty) }
        disk.restart()
        try store.set("more", forKey: "more")
        #expect(try vault.store.string(forKey: "more") == "more")
    }

    @Test("what others write and remove meanwhile is in the new file")
    func meanwhile() throws {
        let (store, other) = (vault.quickStore, vault.quickStore)
        var truth = truth
        for kind in ["data", "master"] {
            let entered = Locked(false)
            func interfere(_ done: Int, _ total: Int) throws {
                guard done == total / 2, !entered.withLock({ $0 }) else { return }
                entered.withLock { $0 = true }
                try other.set("changed by \(kind)", forKey: "account 1")
                try other.set("made by \(kind)", forKey: "new \(kind)")
                try other.set("x", forKey: "passing")
                #expect(try other.delete("passing"))
                #expect(try other.delete(kind == "data" ? "account 2" : "account 5"))
                try other.update { batch in
                    try batch.set("in a batch", forKey: "account 6")
                    try batch.delete("new \(kind)")
                }
            }
            let trouble = Locked<(any Error)?>(nil)
            func step(_ done: Int, _ total: Int) {
                do { try interfere(done, total) } catch { trouble.withLock { $0 = error } }
            }
            if kind == "data" {
                try store.rotateDataKey(progress: step)
            } else {
                try store.rotateMasterKey(progress: step)
            }
            if let error = trouble.withLock({ $0 }) { throw error }
            #expect(entered.withLock { $0 })
            truth.set("changed by \(kind)", "account 1")
            truth.set("in a batch", "account 6")
            truth.delete(kind == "data" ? "account 2" : "account 5")
            for reader in [store, other, vault.store] { #expect(truth.violations(of: reader).isEmpty, "\(kind)") }
            for name in ["passing", "new \(kind)"] { #expect(try vault.store.get(name) == nil) }
        }
        #expect(try vault.store.verify()?.isSound == true)
    }
}

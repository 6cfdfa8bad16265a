import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("Repair", .timeLimit(.minutes(5)))
struct RepairTests {
    private let vault: TestVault
    private let truth: Truth

    init() throws { (vault, truth) = try makeSample() }

    /// Where the last frame of an entry is, found by what changes when it is removed.
    private func frame(at index: Int) throws -> RawFrame { RawFrame.all(in: try vault.bytes())[index] }

    private func kept(_ number: Int) -> String { "credentials.vault.old-\(number)" }

    @Test("leaves a sound vault as it is, and none where none is")
    func sound() throws {
        let bytes = try vault.bytes()
        let report = try #require(try vault.store.repair())
        #expect(report.isComplete && report.kept == truth.entries.count && report.keptAside == nil)
        #expect(try vault.bytes() == bytes)
        let none = try TestVault(isMade: false)
        #expect(try none.store.repair() == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: none.directory).isEmpty)
    }

    @Test("keeps what opens, names what does not, and keeps the old file", arguments: [20, 45, 60, 90, 100, 120])
    func entry(place: Int) throws {
        // The frame of "account 1", which was written once.
        let frame = try frame(at: 1)
        try vault.edit { $0[frame.offset + place] ^= 1 }
        let damaged = try vault.bytes()
        let log = RecordedLog()
        let running = vault.store
        _ = try running.readAll()
        let report = try #require(try vault.builder.log(log.log).build().repair())
        #expect(report.omitted == [OmittedEntry(key: "account 1", reason: .damaged)])
        #expect(report.lost == 0 && report.kept == truth.entries.count - 1 && report.keptAside == kept(1))
        #expect(log.omissions == ["account 1"])
        #expect(vault.litter() == [kept(1)])
        #expect(try readFile(vault.directory + "/" + kept(1)) == damaged)
        var truth = truth
        truth.delete("account 1")
        for reader in [running, vault.store] {
            #expect(truth.violations(of: reader).isEmpty)
            #expect(try reader.get("account 1") == nil)
            #expect(try reader.get("never") == nil)
            #expect(try reader.verify()?.isSound == true)
        }
        try running.set("again", forKey: "account 1")
        #expect(try vault.store.string(forKey: "account 1") == "again")
        // The old one opens with the same key wherever it is.
        let old = vault.builder.path(vault.directory + "/" + kept(1)).build()
        #expect(try old.readAll().omitted.map(\.key) == ["account 1"])
    }

    @Test("what opens is kept where only the echo behind it is damaged, by every rewriting", arguments: 0..<3)
    func echo(kind: Int) throws {
        let frame = try frame(at: 1)
        try vault.edit { $0[frame.offset + frame.length - 8] ^= 1 }
        switch kind {
        case 0: #expect(try vault.store.repair()?.omitted.isEmpty ?? true)
        case 1: try vault.store.compact()
        default: try vault.store.rotateDataKey()
        }
        #expect(truth.violations(of: vault.store).isEmpty)
        #expect(try vault.store.readAll().isComplete)
        #expect(try vault.store.verify()?.isSound == true)
    }

    @Test("counts what left no name, and proves absence afterwards")
    func lost() throws {
        let frame = try frame(at: 1)
        try vault.edit { bytes in
            for index in frame.range { bytes[index] = UInt8(truncatingIfNeeded: index &* 7 | 1) }
        }
        #expect(failure { try vault.store.get("never") }?.cause == .undecryptable(.damaged))
        let report = try #require(try vault.store.repair())
        #expect(report.lost == 1 && report.omitted.isEmpty && !report.isComplete)
        #expect(try vault.store.get("never") == nil)
        #expect(try vault.store.get("account 1") == nil)
        #expect(try vault.store.keys().count == truth.entries.count - 1)
        #expect(try vault.store.repair()?.isComplete == true)
        #expect(vault.litter() == [kept(1)])
        try vault.store.compact()
    }

    @Test("damage to what was replaced or removed costs nothing")
    func superseded() throws {
        // The first frame of "account 3", which was replaced.
        let frame = try frame(at: 3)
        try vault.edit { $0[frame.offset + 130] ^= 1 }
        #expect(try vault.store.verify()?.isSound == false)
        let report = try #require(try vault.store.repair())
        #expect(report.isComplete && report.kept == truth.entries.count && report.keptAside == kept(1))
        #expect(truth.violations(of: vault.store).isEmpty)
        #expect(try vault.store.verify()?.isSound == true)
    }

    @Test("one damaged copy of the header is mended, and the file kept as it was; two cannot be")
    func header() throws {
        for (round, place) in [200, 8192 + 200].enumerated() {
            try vault.edit { $0[place] ^= 1 }
            let damaged = try vault.bytes()
            let report = try #require(try vault.store.repair())
            #expect(report.isComplete && report.kept == truth.entries.count && report.keptAside == kept(round + 1))
            #expect(try readFile(vault.directory + "/" + kept(round + 1)) == damaged)
            #expect(truth.violations(of: vault.store).isEmpty)
            #expect(try vault.store.verify()?.isSound == true)
        }
        #expect(vault.litter() == [kept(1), kept(2)])
        try vault.edit { bytes in
            bytes[200] ^= 1
            bytes[8192 + 200] ^= 1
        }
        let bytes = try vault.bytes()
        #expect(failure { try vault.store.repair() } == .writeError(cause: .damaged))
        #expect(try vault.bytes() == bytes)
    }

    @Test("an older state that was put back is told once more and accepted")
    func rolledBack() throws {
        let old = try vault.bytes()
        try vault.store.set("newest", forKey: "account 0")
        try vault.edit { $0 = old }
        #expect(try vault.store.verify()?.isRolledBack == true)
        let accepted = try #require(try vault.store.repair())
        #expect(accepted.wasRolledBack && !accepted.isComplete && accepted.omitted.isEmpty && accepted.lost == 0)
        #expect(try vault.store.verify()?.isRolledBack == false)
        #expect(try vault.store.repair()?.isComplete == true)
        #expect(truth.violations(of: vault.store).isEmpty)
        // Damage in an older state: the numbers go on behind the newest that was ever seen.
        try vault.store.set("newer", forKey: "account 0")
        try vault.store.set("newest", forKey: "account 0")
        let frame = try frame(at: 1)
        try vault.edit { bytes in
            bytes = old
            bytes[frame.offset + 120] ^= 1
        }
        let repaired = try #require(try vault.store.repair())
        #expect(repaired.omitted.count == 1 && repaired.wasRolledBack)
        #expect(try vault.store.verify()?.isSound == true)
    }

    @Test("of several at the same time one does it, and the others find a sound vault")
    func simultaneous() throws {
        let frame = try frame(at: 1)
        try vault.edit { $0[frame.offset + 120] ^= 1 }
        let reports = Locked<[RepairReport]>([])
        try onThreads(6) { _ in
            let report = try #require(try vault.store.repair())
            reports.withLock { $0.append(report) }
        }
        let all = reports.withLock { $0 }
        #expect(all.count == 6 && all.allSatisfy { $0.kept == truth.entries.count - 1 })
        #expect(all.count { $0.keptAside != nil } == 1 && all.count { $0.isComplete } == 5)
        #expect(vault.litter() == [kept(1)])
    }

    @Test("numbers of files that are kept go on, and one that is kept already is not kept twice")
    func numbers() throws {
        for round in 1...3 {
            try vault.store.set("value", forKey: "victim")
            let frame = try #require(RawFrame.all(in: try vault.bytes()).last)
            try vault.edit { $0[frame.offset + 120] ^= 1 }
            if round == 3 { link(vault.path, vault.directory + "/" + kept(3)) }
            #expect(try vault.store.repair()?.keptAside == kept(round))
        }
        #expect(vault.litter() == (1...3).map(kept))
    }

    @Test("a disk without room leaves everything as it is")
    func noSpace() throws {
        let frame = try frame(at: 1)
        try vault.edit { $0[frame.offset + 120] ^= 1 }
        let bytes = try vault.bytes()
        let disk = FaultyFileSystem { _, call in
            guard case .write(let offset, _) = call, offset >= 16384 else { return nil }
            return .fails(ENOSPC)
        }
        #expect(failure { try vault.builder.fileSystem(disk).build().repair() }?.category == .noSpace)
        #expect(try vault.bytes() == bytes)
        #expect(vault.litter().isEmpty)
    }

    @Test("a stop at any call leaves the damaged vault or the repaired one, and what was", arguments: [true, false])
    func sweep(stops: Bool) throws {
        let frame = try frame(at: 1)
        try vault.edit { $0[frame.offset + 120] ^= 1 }
        let damaged = try vault.bytes()
        var number = 1
        while true {
            let copy = try vault.copy(number, vault: damaged)
            let (target, isReached) = (number, Locked(false))
            let disk = FaultyFileSystem(syncs: false) { number, call in
                guard call.isChange, stops ? number >= target : number == target else { return nil }
                isReached.withLock { $0 = true }
                return number == target ? .failsHalfway(EIO) : .fails(EIO)
            }
            let error = failure { try copy.builder.fileSystem(disk).build().repair() }
            let all = try copy.quickStore.readAll()
            let what = "call \(number): \(String(describing: error))"
            #expect(all.lost == 0 && all.entries.count == truth.entries.count - 1, "\(what)")
            if error == nil { #expect(all.isComplete, "\(what)") }
            if all.isComplete {
                #expect(try readFile(copy.directory + "/" + kept(1)) == damaged, "\(what)")
            } else {
                #expect(all.omitted.map(\.key) == ["account 1"], "\(what)")
            }
            #expect(copy.litter().allSatisfy { $0 == kept(1) }, "\(what)")
            let again = try #require(try copy.quickStore.repair())
            #expect(again.omitted.count == (all.isComplete ? 0 : 1), "\(what)")
            #expect(copy.litter() == [kept(1)], "\(what)")
            guard isReached.withLock({ $0 }) else { return #expect(error == nil && number > 8) }
            number += 1
        }
    }
}

import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("A vault that somebody put together anew", .timeLimit(.minutes(5)))
struct SpliceTests {
    private static let damaged = StorageError.readError(cause: .undecryptable(.damaged))

    /// Entries of one size, each in a frame of its own.
    static func make(_ names: [String] = ["a", "b", "c", "d"]) throws -> (vault: TestVault, truth: Truth) {
        let vault = try TestVault()
        var truth = Truth()
        let store = vault.store
        for name in names {
            try store.set("value of \(name)", forKey: name)
            truth.set("value of \(name)", name)
        }
        return (vault, truth)
    }

    private static func judge(
        _ sample: (vault: TestVault, truth: Truth),
        _ what: String,
        _ change: (inout [UInt8], [RawFrame]) -> Void
    ) throws {
        let original = try sample.vault.bytes()
        var bytes = original
        change(&bytes, RawFrame.all(in: original))
        #expect(bytes != original)
        for companion in [nil, try sample.vault.companionBytes()] {
            let copy = try sample.vault.copy(0, vault: bytes, companion: companion)
            let found = sample.truth.violations(of: copy.store, mayBeOlder: true)
            #expect(found.isEmpty, "\(what): \(found)")
            #expect(try !copy.store.readAll().isComplete, "\(what) must show")
        }
    }

    @Test("frames that were swapped, doubled or moved give no value")
    func moved() throws {
        let sample = try Self.make()
        for left in 0..<4 {
            for right in 0..<4 where left != right {
                try Self.judge(sample, "\(right) over \(left)") { bytes, frames in
                    bytes.replaceSubrange(frames[left].range, with: bytes[frames[right].range])
                }
                guard left < right else { continue }
                try Self.judge(sample, "\(left) and \(right) swapped") { bytes, frames in
                    let first = Array(bytes[frames[left].range])
                    bytes.replaceSubrange(frames[left].range, with: bytes[frames[right].range])
                    bytes.replaceSubrange(frames[right].range, with: first)
                }
            }
        }
        try Self.judge(sample, "reversed") { bytes, frames in
            let parts = frames.reversed().map { Array(bytes[$0.range]) }
            bytes.replaceSubrange(16384..<16384 + parts.joined().count, with: parts.joined())
        }
        try Self.judge(sample, "one more copy behind the log") { bytes, frames in
            let end = frames[3].range.upperBound
            bytes.replaceSubrange(end..<end + frames[0].length, with: bytes[frames[0].range])
        }
    }

    @Test("a removed frame is noticed, with the rest moved up or zeros in its place", arguments: 0..<4)
    func removed(index: Int) throws {
        let sample = try Self.make()
        if index < 3 {
            try Self.judge(sample, "zeros for \(index)") { bytes, frames in
                for place in frames[index].range { bytes[place] = 0 }
            }
        }
        try Self.judge(sample, "moved up over \(index)") { bytes, frames in
            guard index < 3 else { return bytes[frames[3].offset] ^= 1 }
            bytes.removeSubrange(frames[index].range)
            bytes += [UInt8](repeating: 0, count: frames[index].length)
        }
    }

    @Test("frames of another vault under the same key give nothing")
    func foreign() throws {
        let sample = try Self.make()
        let other = try sample.vault.copy(7, vault: [])
        unlink(other.path)
        let otherStore = other.store
        // The key file is there already; the other vault is made under it.
        try otherStore.create()
        for name in ["a", "b", "x", "y"] { try otherStore.set("foreign \(name)", forKey: name) }
        let foreign = try other.bytes()
        for index in 0..<4 {
            try Self.judge(sample, "frame \(index) of another vault") { bytes, frames in
                bytes.replaceSubrange(frames[index].range, with: foreign[frames[index].range])
            }
        }
        // Its whole log under this vault's header: nothing of it opens, and nothing is called absent.
        let bytes = Array(try sample.vault.bytes()[0..<16384]) + foreign[16384...]
        for companion in [nil, try sample.vault.companionBytes()] {
            let store = try sample.vault.copy(0, vault: bytes, companion: companion).store
            #expect(try store.readAll().entries.isEmpty)
            for name in ["a", "x", "never"] { #expect(failure { try store.get(name) } == Self.damaged) }
        }
    }

    @Test("an older copy of a frame in a newer one's place gives no value")
    func olderFrame() throws {
        let vault = try TestVault()
        let store = vault.store
        try store.set("old", forKey: "name")
        let old = RawFrame.all(in: try vault.bytes())[0]
        try store.set("new", forKey: "name")
        try store.set("third", forKey: "other")
        var bytes = try vault.bytes()
        let new = RawFrame.all(in: bytes)[1]
        bytes.replaceSubrange(new.range, with: bytes[old.range])
        for companion in [nil, try vault.companionBytes()] {
            let copy = try vault.copy(0, vault: bytes, companion: companion)
            let bulk = try copy.store.readAll()
            #expect(!bulk.isComplete)
            // The older honest value may be served, because the loss is reported beside it.
            #expect(bulk[key: "name"] == nil || (bulk[key: "name"] == Data("old".utf8) && bulk.lost > 0))
            #expect(bulk[key: "other"] == Data("third".utf8))
        }
    }

    @Test(
        "an older file is noticed by a process that has it open, in place or by another inode",
        arguments: [true, false])
    func rolledBackWhileOpen(inPlace: Bool) throws {
        let vault = try TestVault()
        let log = RecordedLog()
        let store = vault.builder.log(log.log).build()
        try store.set("first", forKey: "name")
        let (old, oldCompanion) = (try vault.bytes(), try vault.companionBytes())
        try store.set("second", forKey: "name")
        try store.set("third", forKey: "other")
        try writeFile(vault.path, old, replacing: !inPlace)
        // A write looks at the file at once; a read would within 100 ms.
        try store.set("fourth", forKey: "fourth")
        #expect(try store.string(forKey: "name") == "first")
        #expect(try store.keys() == ["fourth", "name"])
        #expect(log.messages.contains { $0.contains("older") })
        #expect(try vault.store.keys() == ["fourth", "name"])

        // With the companion too, only a process that had it open can tell.
        try store.set("fifth", forKey: "fifth")
        let count = log.messages.count
        try writeFile(vault.path, old, replacing: !inPlace)
        try writeFile(vault.companionPath, oldCompanion)
        try store.set("sixth", forKey: "sixth")
        #expect(log.messages.dropFirst(count).contains { $0.contains("older") })
        #expect(try vault.store.keys() == ["name", "sixth"])
    }

    @Test("a reader of a file that was put back in place sees what is there now", arguments: [true, false])
    func readerOfRolledBack(inPlace: Bool) throws {
        let vault = try TestVault()
        let (writer, reader) = (vault.store, vault.store)
        try writer.set("first", forKey: "name")
        let old = try vault.bytes()
        try writer.set("second", forKey: "name")
        #expect(try reader.string(forKey: "name") == "second")
        try writeFile(vault.path, old, replacing: !inPlace)
        // A change by a program that tells nobody is seen within 100 ms.
        let end = ContinuousClock.now + .seconds(5)
        var value = try reader.string(forKey: "name")
        while value != "first", ContinuousClock.now < end { value = try reader.string(forKey: "name") }
        #expect(value == "first")
    }

    @Test("an older file is noticed by the companion's record, and not without it")
    func rolledBackWhileClosed() throws {
        let vault = try TestVault()
        try vault.store.set("first", forKey: "name")
        let old = try vault.bytes()
        try vault.store.set("second", forKey: "name")
        let companion = try vault.companionBytes()
        let noticed = try vault.copy(1, vault: old, companion: companion)
        let log = RecordedLog()
        let store = noticed.builder.log(log.log).build()
        #expect(try store.string(forKey: "name") == "first")
        #expect(log.messages.contains { $0.contains("older") })
        #expect(try store.verify()?.isRolledBack == true)
        let unseen = try vault.copy(2, vault: old, companion: nil)
        #expect(try unseen.store.string(forKey: "name") == "first")
        #expect(try unseen.store.verify()?.isRolledBack == false)
    }

    @Test("another vault put over an open one is never written to under the wrong keys")
    func copiedOver() throws {
        let sample = try Self.make()
        let store = sample.vault.store
        #expect(try store.keys() == ["a", "b", "c", "d"])
        let other = try sample.vault.copy(7, vault: [])
        unlink(other.path)
        try other.store.create()
        for round in 0..<9 { try other.store.set("foreign \(round)", forKey: "x\(round)") }
        try writeFile(sample.vault.path, try other.bytes())
        try store.set("new", forKey: "new")
        let names = (0..<9).map { "x\($0)" }
        #expect(try store.keys() == ["new"] + names)
        #expect(try sample.vault.store.keys() == ["new"] + names)
        #expect(try sample.vault.store.verify()?.isSound == true)
    }
}

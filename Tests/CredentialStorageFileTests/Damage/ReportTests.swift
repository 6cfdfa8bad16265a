import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("The counts of a report", .timeLimit(.minutes(5)))
struct ReportTests {
    /// Four entries of which one was deleted and one replaced: six frames.
    private static func filled() throws -> (TestVault, [RawFrame]) {
        let vault = try TestVault()
        let store = vault.quickStore
        for name in ["a", "b", "c", "d"] { try store.set("first", forKey: name) }
        try store.set("second", forKey: "a")
        try store.delete("d")
        return (vault, RawFrame.all(in: try vault.bytes()))
    }

    private static func expect(
        _ vault: TestVault,
        entries: Int,
        damagedEntries: Int,
        damaged: Int,
        lost: Int,
        _ what: String
    ) throws {
        let report = try #require(try vault.store.verify())
        #expect(report.entries == entries, "\(what)")
        #expect(report.damagedEntries == damagedEntries, "\(what)")
        #expect(report.damaged == damaged, "\(what)")
        #expect(report.lost == lost, "\(what)")
        let bulk = try vault.store.readAll()
        #expect(bulk.entries.count == entries && bulk.omitted.count == damagedEntries && bulk.lost == lost, "\(what)")
    }

    @Test("are those of the entries, and not of the frames")
    func counts() throws {
        let (vault, frames) = try Self.filled()
        #expect(frames.count == 6)
        try Self.expect(vault, entries: 3, damagedEntries: 0, damaged: 0, lost: 0, "sound")
        #expect(try vault.store.verify()?.frames.count == 6)
        // The replaced value of a: nobody misses it.
        try vault.edit { $0[frames[0].offset + 120] ^= 1 }
        try Self.expect(vault, entries: 3, damagedEntries: 0, damaged: 1, lost: 0, "a superseded frame")
        let past = try #require(try vault.store.verify())
        #expect(past.isIntact && !past.isSound)
        #expect("\(past)" == "intact: entries 3 open, 0 damaged; lost 0; frames 6, 1 damaged")
        // The value of b.
        try vault.edit { $0[frames[1].offset + 120] ^= 1 }
        try Self.expect(vault, entries: 2, damagedEntries: 1, damaged: 2, lost: 0, "a live frame")
        // An echo tells of damage and takes nothing.
        try vault.edit { $0[frames[2].range.upperBound - 1] ^= 1 }
        try Self.expect(vault, entries: 2, damagedEntries: 1, damaged: 3, lost: 0, "an echo")
        // The present value of a, destroyed beyond recognition: the older one is damaged, and one more is lost.
        try vault.edit { content in for index in frames[4].range { content[index] ^= 0x55 } }
        let report = try #require(try vault.store.verify())
        #expect(report.lost == 1 && report.damaged == 4 && !report.isIntact && !report.isSound)
        #expect("\(report)".hasPrefix("not sound: entries "))
        #expect(report.entries + report.damagedEntries == 3)
    }

    @Test("of an empty vault are zeros")
    func empty() throws {
        try Self.expect(try TestVault(), entries: 0, damagedEntries: 0, damaged: 0, lost: 0, "empty")
    }
}

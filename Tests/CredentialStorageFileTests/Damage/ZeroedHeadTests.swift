import CredentialStorage
import Foundation
import Testing

@testable import CredentialStorageFile

@Suite("The newest frame, whose head was zeroed and whose echo stands", .timeLimit(.minutes(5)))
struct ZeroedHeadTests {
    @Test("still names its entry, whatever part of the head is gone", arguments: [32, 64, 96, 128, 288, 512, 8192])
    func anyPart(body: Int) throws {
        var log = TestLog()
        log.commit([.value("a", 32)])
        log.commit([.value("b", 64)])
        log.commit([.value("a", body)])
        let newest = try #require(log.frames.last)
        for start in stride(from: 0, to: Layout.headLength, by: 8) {
            for end in stride(from: start + 8, through: Layout.headLength, by: 8) {
                for byte: UInt8 in [0, 0xA5] {
                    var file = log.file()
                    for place in newest.offset + start..<newest.offset + end { file[place] = byte }
                    let result = try TestLog.scan(file, published: log.end)
                    #expect(result.named == [TestLog.hash("a")], "\(byte) from \(start) to \(end)")
                    #expect(result.torn == nil)
                }
            }
        }
    }

    @Test("still names its entry where all but the end is zero, with and without a frame behind it")
    func allButTheEcho() throws {
        var log = TestLog()
        log.commit([.value("a", 32)])
        log.commit([.value("a", 8192)])
        var longer = log
        longer.commit([.value("b", 64)])
        let newest = try #require(log.frames.last)
        for (log, isLast) in [(log, true), (longer, false)] {
            var file = log.file()
            for place in newest.offset..<newest.end - Layout.echoLength { file[place] = 0 }
            let result = try TestLog.scan(file, published: log.end)
            #expect(result.named == [TestLog.hash("a")])
            #expect(result.lost == (isLast ? 1 : 0))
        }
    }

    @Test("makes its entry damaged instead of giving the older value, and repair does not bring that back")
    func store() throws {
        let vault = try TestVault()
        try vault.store.set("other", forKey: "other")
        try vault.store.set("older", forKey: "name")
        try vault.store.set("newer", forKey: "name")
        let newest = try #require(RawFrame.all(in: try vault.bytes()).last)
        try vault.edit { bytes in for place in newest.offset..<newest.offset + 112 { bytes[place] = 0 } }
        let store = vault.store
        #expect(failure { try store.get("name") } == .readError(cause: .undecryptable(.damaged)))
        #expect(try store.string(forKey: "other") == "other")
        #expect(try store.readAll().omitted.map(\.key) == ["name"])
        let report = try #require(try store.repair())
        #expect(report.kept == 1 && report.omitted.map(\.key) == ["name"])
        #expect(try vault.store.get("name") == nil)
    }

    @Test("names its entry where it was cut or zeroed behind its name", arguments: [true, false])
    func beginnings(isCut: Bool) throws {
        for content in [TestLog.Content.value("a", 64), .delete("a")] {
            var log = TestLog()
            log.commit([.value("a", 32)])
            log.commit([content])
            let newest = try #require(log.frames.last)
            for length in 56..<newest.head.frameLength {
                let end = newest.offset + length
                var file = log.file()
                if isCut { file.removeSubrange(end...) } else { for place in end..<log.end { file[place] = 0 } }
                // With its head and its box whole, and a part of its echo, it counts.
                let result = try TestLog.scan(file, published: log.end)
                let isThere = result.frames.count == 2
                #expect(isThere ? !isCut : result.named == [TestLog.hash("a")], "\(content.kind), \(length) bytes")
                #expect(isThere || result.lost > 0 || length > Layout.headLength, "\(content.kind), \(length) bytes")
                #expect(result.torn == nil)
            }
        }
    }

    @Test("is a loss where nothing is left of it and the record proves that it was there")
    func gone() throws {
        var log = TestLog()
        log.commit([.value("a", 32)])
        log.commit([.value("b", 32), .value("c", 32)])
        var file = log.file()
        for place in try #require(log.frames.last).offset..<log.end { file[place] = 0 }
        let result = try TestLog.scan(file, published: log.end)
        #expect(result.frames.count == 2 && result.lost == 1 && result.isShort)
        let alone = try TestLog.scan(file)
        #expect(alone.frames.count == 1 && alone.lost == 0 && !alone.isShort)
    }

    @Test("is a loss too where all from inside the echo before it on is zero, as no older state is", arguments: 1..<16)
    func goneWithEcho(left: Int) throws {
        var log = TestLog()
        log.commit([.value("a", 32)])
        log.commit([.value("b", 32)])
        let end = log.end
        log.commit([.value("c", 32)])
        var file = log.file()
        for place in end - 16 + left..<log.end { file[place] = 0 }
        let result = try TestLog.scan(file, published: log.end)
        #expect(result.frames.count == 2 && result.lost == 1 && result.isShort)
        // An honest older state is one, and the record says that it is older.
        file.replaceSubrange(end - 16..<end, with: TestLog.hash("b").bytes)
        let older = try TestLog.scan(file, published: log.end)
        #expect(older.frames.count == 2 && older.lost == 0 && !older.isShort)
    }

    @Test("is a loss at each opening of a store, and after a write, until it is repaired")
    func goneFromStore() throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "first")
        try vault.store.update { batch in for name in ["second", "third"] { try batch.set(name, forKey: name) } }
        let last = try #require(RawFrame.all(in: try vault.bytes()).last)
        try vault.edit { bytes in for place in last.range { bytes[place] = 0 } }
        for _ in 0..<2 {
            #expect(try vault.store.string(forKey: "second") == "second")
            #expect(failure { try vault.store.get("third") } == .readError(cause: .undecryptable(.damaged)))
        }
        try vault.store.set("next", forKey: "next")
        for _ in 0..<2 {
            #expect(failure { try vault.store.get("third") } == .readError(cause: .undecryptable(.damaged)))
        }
        #expect(try vault.store.repair()?.lost == 1)
        #expect(try vault.store.get("third") == nil)
        #expect(try vault.store.keys() == ["first", "next", "second"])
    }
}

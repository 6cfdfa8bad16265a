import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@testable import CredentialStorageFile

@Suite("Stray bytes at the very end of a vault", .timeLimit(.minutes(5)))
struct StrayByteTests {
    private static func log() -> TestLog {
        var log = TestLog()
        log.commit([.value("a")])
        log.commit([.value("b"), .delete("a")])
        return log
    }

    @Test("are no loss where nothing but zeros lies before them", arguments: [1, 2, 15, 16])
    func harmless(count: Int) throws {
        let log = Self.log()
        for place in [log.file().count - count, log.file().count - 16] {
            var file = log.file()
            for index in place..<place + count { file[index] = 0xA5 }
            for published in [nil, log.end] {
                let result = try TestLog.scan(file, published: published)
                #expect(result.frames == log.frames)
                #expect(result.lost == 0 && result.damage.isEmpty)
                #expect(result.torn == log.end..<file.count)
            }
        }
    }

    @Test("are damage where more than the last block is not zero, or where a commit may begin")
    func harmful() throws {
        let log = Self.log()
        let size = log.file().count
        for other in [log.end, log.end + 15, log.end + 16, size - 17, size - 32] {
            var file = log.file()
            file[size - 1] = 1
            file[other] = 1
            #expect(try TestLog.scan(file).lost > 0, "\(other)")
        }
        // The block at the tail is the last one.
        for count in 1...16 {
            var file = Array(log.file().prefix(log.end + 16))
            file[log.end + count - 1] = 1
            #expect(try TestLog.scan(file).lost > 0, "\(count)")
            #expect(try TestLog.scan(Array(file.prefix(log.end + count))).lost > 0, "\(count)")
        }
        // Something was acknowledged there.
        var file = log.file()
        file[size - 1] = 1
        #expect(try TestLog.scan(file, published: log.end + 128).lost > 0)
    }

    @Test("are never what is left of an acknowledged commit that was cut, wherever it was cut")
    func cuts() throws {
        var log = Self.log()
        let kept = log.frames.count
        let begin = log.end
        log.commit([.value("c", 320), .delete("b"), .value("d")])
        for length in begin + 1...log.end {
            let result = try TestLog.scan(Array(log.bytes.prefix(length)))
            #expect(result.lost > 0 || result.frames.count == log.frames.count, "cut at \(length)")
            #expect(result.torn == nil, "cut at \(length)")
            #expect(result.frames.prefix(kept) == log.frames.prefix(kept))
        }
    }

    @Test("do not keep a store from proving absence, and go with the next write")
    func store() throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        unlink(vault.companionPath)
        try vault.edit { $0[$0.count - 1] = 1 }
        #expect(try vault.store.get("never") == nil)
        #expect(try vault.store.string(forKey: "name") == "value")
        try vault.store.set("next", forKey: "name")
        #expect(try vault.bytes().last == 0)
        #expect(try vault.store.verify()?.isSound == true)
    }
}

import CredentialStorage
import Foundation
import Testing

@testable import CredentialStorageFile

@Suite("Frames that somebody with the data key made", .timeLimit(.minutes(5)))
struct ForgedFrameTests {
    private let vault: TestVault

    init() throws {
        vault = try TestVault()
        try vault.store.set("value", forKey: "name")
    }

    /// Puts a frame behind the log, whose head, box and echo are right, with any bytes as the name.
    private func append(name: [UInt8]) throws {
        let store = vault.store
        let frame = try store.engine.read { (session) throws(StorageFault) -> (bytes: [UInt8], offset: Int) in
            let session = session!
            let (keys, offset) = (session.keys, session.position.offset)
            var plain = [UInt8(name.count), 0, 1, 0, 0, 0] + name + [7]
            plain += [UInt8](repeating: 0, count: 32 - plain.count)
            let nonce = [UInt8](repeating: 9, count: 24)
            var (body, tag) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 16))
            let hash = keys.nameHash(name.span)
            body.withUnsafeMutableBufferPointer { body in
                tag.withUnsafeMutableBufferPointer { tag in
                    keys.seal(
                        plain.span, into: body.baseAddress!, tag: tag.baseAddress!, nonce: nonce, nameHash: hash)
                }
            }
            let head = FrameHead(
                kind: .value, bodyLength: 32, position: 0, commitCount: 1, headerSequence: 1,
                sequence: session.position.nextSequence, previous: session.position.lastMAC, nameHash: hash)
            var bytes = head.encoded + nonce + tag
            bytes.append(keys.frameMAC(bytes.span, logID: session.header.logID, offset: offset))
            bytes += body
            bytes.append(hash)
            return (bytes, offset)
        }
        try vault.edit { $0.replaceSubrange(frame.offset..<frame.offset + frame.bytes.count, with: frame.bytes) }
    }

    @Test(
        "whose name is no name are damaged for everybody, and repair leaves them out",
        arguments: [[0xFF, 0xFE], [0x61, 0x00, 0x62], [0xC0, 0xAF]])
    func names(name: [UInt8]) throws {
        try append(name: name)
        let all = try vault.store.readAll()
        #expect(all.entries.map(\.key) == ["name"] && all.omitted == [OmittedEntry(key: nil, reason: .damaged)])
        let report = try #require(try vault.store.verify())
        #expect(report.entries == 1 && report.damagedEntries == 1 && report.damaged == 1 && !report.isIntact)
        #expect(failure { try vault.store.compact() } == .writeError(cause: .damaged))
        #expect(failure { try vault.store.rotateDataKey() } == .writeError(cause: .damaged))
        let repaired = try #require(try vault.store.repair())
        #expect(repaired.kept == 1 && repaired.omitted == [OmittedEntry(key: nil, reason: .damaged)])
        #expect(try vault.store.keys() == ["name"])
        #expect(try vault.store.verify()?.isSound == true)
    }

    @Test("and whose names are fine are entries")
    func name() throws {
        try append(name: Array("other".utf8))
        #expect(try vault.store.keys() == ["name", "other"])
        #expect(try vault.store.get("other") == Data([7]))
        #expect(try vault.store.verify()?.isSound == true)
    }
}

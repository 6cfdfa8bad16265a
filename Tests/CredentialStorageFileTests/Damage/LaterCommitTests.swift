import CredentialStorage
import Foundation
import Testing

@testable import CredentialStorageFile

@Suite("Several commits are never one torn write", .timeLimit(.minutes(5)))
struct LaterCommitTests {
    private static let names = ["a", "b", "c", "d", "e", "f"]
    private let vault: TestVault
    private let frames: [RawFrame]

    init() throws {
        vault = try TestVault()
        for name in Self.names { try vault.store.set("value of \(name)", forKey: name) }
        frames = RawFrame.all(in: try vault.bytes())
        // Nothing tells what was published.
        try FileManager.default.removeItem(atPath: vault.companionPath)
    }

    private func expectDamaged(_ names: [String], sound: [String]) throws {
        let before = try vault.bytes()
        let read = try vault.store.readAll()
        #expect(read.entries.map(\.key) == sound)
        #expect(!read.isComplete)
        for name in names {
            #expect(failure { try vault.store.get(name) } == .readError(cause: .undecryptable(.damaged)), "\(name)")
        }
        #expect(try vault.store.verify()?.isSound == false)
        // What cannot be read is not written over.
        #expect(try Array(vault.bytes().prefix(before.count)) == before)
    }

    @Test("commits whose heads are damaged, and zeros in the first of them", arguments: [16, 48, 112, 160])
    func zeros(length: Int) throws {
        try vault.edit { bytes in
            let start = frames[3].range.lowerBound
            for place in start..<start + length { bytes[place] = 0 }
            for frame in frames[4...] { bytes[frame.range.lowerBound + 1] ^= 0x20 }
        }
        try expectDamaged(["d", "e", "f"], sound: ["a", "b", "c"])
    }

    @Test("commits that were moved by something that was put in, and stray bytes far behind")
    func insertion() throws {
        try vault.edit { bytes in
            let place = frames[1].range.lowerBound + 120
            bytes.removeLast(16)
            bytes.insert(contentsOf: [UInt8](repeating: 0x5A, count: 16), at: place)
            bytes[frames[5].range.upperBound + 4096] = 1
        }
        try expectDamaged(["b", "c", "d", "e", "f"], sound: ["a"])
    }

    @Test("a torn write of several frames stays one, whatever of it reached the disk")
    func batch() throws {
        try vault.store.update { batch in
            for name in ["g", "h", "i"] { try batch.set("torn", forKey: name) }
        }
        try FileManager.default.removeItem(atPath: vault.companionPath)
        let all = RawFrame.all(in: try vault.bytes())
        try vault.edit { bytes in
            let first = all[6].range
            for place in first.lowerBound..<first.lowerBound + 64 { bytes[place] = 0 }
            bytes[all[7].range.lowerBound + 1] ^= 0x20
        }
        #expect(try vault.store.keys() == Self.names)
        #expect(try vault.store.get("h") == nil)
        #expect(try vault.store.verify()?.isSound == true)
    }
}

import CredentialStorage
import Foundation
import Testing

@testable import CredentialStorageFile

@Suite("The torn rest of a write whose first block is zero", .timeLimit(.minutes(5)))
struct TornRestTests {
    private let vault: TestVault

    init() throws {
        vault = try TestVault()
        try vault.store.set("value", forKey: "name")
    }

    private func tail() throws -> Int { try #require(RawFrame.all(in: try vault.bytes()).last).range.upperBound }

    private func expectSound() throws {
        #expect(try vault.store.verify()?.isSound == true)
        #expect(try vault.store.get("never") == nil)
        #expect(try vault.store.string(forKey: "name") == "value")
        #expect(try vault.store.string(forKey: "next") == "next")
    }

    @Test("is gone before the next write is answered", arguments: [16, 160, 512, 20_000])
    func stray(distance: Int) throws {
        let tail = try tail()
        // What a commit of several frames leaves, of which only the second one reached the disk.
        let other = try TestVault()
        try other.store.update { batch in for name in ["a", "b"] { try batch.set("torn", forKey: name) } }
        let frame = try #require(RawFrame.all(in: try other.bytes()).last)
        let piece = Array(try other.bytes()[frame.range])
        try vault.edit { $0.replaceSubrange(tail + distance..<tail + distance + piece.count, with: piece) }
        try vault.store.set("next", forKey: "next")
        try expectSound()
        let end = try self.tail()
        #expect(try vault.bytes()[end...].allSatisfy { $0 == 0 })
    }

    @Test("is never made: what takes a write back takes its beginning last", arguments: 1...6)
    func takingBack(stop: Int) throws {
        try vault.edit { $0 += [UInt8](repeating: 0, count: 512 * 512) }
        let tail = try tail()
        let (isBroken, writes) = (Locked(false), Locked(0))
        let disk = FaultyFileSystem { _, call in
            if case .syncData = call {
                isBroken.withLock { $0 = true }
                return .fails(EIO)
            }
            guard case .write = call, isBroken.withLock({ $0 }) else { return nil }
            // As if it were killed here.
            return Self.next(writes) >= stop ? .fails(EIO) : nil
        }
        let store = vault.builder.fileSystem(disk).build()
        #expect(failure { try store.set(Data(repeating: 7, count: 150_000), forKey: "large") } != nil)
        #expect(writes.withLock { $0 } >= min(stop, 4))
        let rest = try vault.bytes()[tail...]
        #expect(rest.prefix(16).contains { $0 != 0 } || rest.allSatisfy { $0 == 0 })
        try vault.store.set("next", forKey: "next")
        try expectSound()
    }

    private static func next(_ count: Locked<Int>) -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

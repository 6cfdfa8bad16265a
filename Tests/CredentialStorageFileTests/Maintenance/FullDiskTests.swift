import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("Removing and replacing on a full disk", .timeLimit(.minutes(5)))
struct FullDiskTests {
    /// No byte can be added to the vault at its path or to any other file.
    private static func full(_ disk: FaultyFileSystem, beyond size: Int) {
        disk.restart { _, call in
            switch call {
            case .open(let path, .create) where path.hasSuffix(".new"): .fails(ENOSPC)
            case .write(let offset, let count) where offset >= 0 && offset + count > size: .failsHalfway(ENOSPC)
            default: nil
            }
        }
    }

    @Test("every entry can go one by one, far beyond what one reserve holds", arguments: [10, 300])
    func deletes(count: Int) throws {
        let vault = try TestVault()
        let disk = FaultyFileSystem(syncs: false)
        let store = vault.builder.fileSystem(disk).build()
        for index in 0..<count { try store.set(Data(count: 10), forKey: "entry \(index)") }
        let size = try vault.bytes().count
        Self.full(disk, beyond: size)
        // What is left of the room is used up first.
        var extra = 0
        while failure({ try store.set(Data(count: 10), forKey: "extra \(extra)") }) == nil { extra += 1 }
        #expect(failure { try store.set(Data(count: 10), forKey: "extra \(extra)") }?.category == .noSpace)
        for index in 0..<extra { #expect(try store.delete("extra \(index)")) }
        for index in 0..<count { #expect(try store.delete("entry \(index)")) }
        #expect(try store.keys().isEmpty)
        #expect(try vault.store.keys().isEmpty)
        #expect(try vault.bytes().count == size)
    }

    @Test("everything can go at once")
    func deleteAll() throws {
        let vault = try TestVault()
        let disk = FaultyFileSystem(syncs: false)
        let store = vault.builder.fileSystem(disk).build()
        for index in 0..<300 { try store.set(Data(count: 10), forKey: "entry \(index)") }
        Self.full(disk, beyond: try vault.bytes().count)
        while failure({ try store.set(Data(count: 10), forKey: UUID().uuidString) }) == nil {}
        try store.deleteAll()
        #expect(try vault.store.keys().isEmpty)
    }

    @Test("a write that finds no room gets it from what is waste, if the disk holds a second file")
    func writes() throws {
        let vault = try TestVault()
        let disk = FaultyFileSystem(syncs: false)
        let store = vault.builder.fileSystem(disk).build()
        try store.set("value", forKey: "other")
        // Nothing may grow beyond a fresh file.
        disk.restart { _, call in
            guard case .write(let offset, let count) = call, offset >= 0, offset + count > 65536 else { return nil }
            return .failsHalfway(ENOSPC)
        }
        for round in 0..<100 {
            try store.set(Data(repeating: UInt8(round), count: 3000), forKey: "name")
            #expect(try store.get("name") == Data(repeating: UInt8(round), count: 3000))
        }
        try store.update { batch in
            try batch.set(Data(count: 12_000), forKey: "name")
            try batch.set(Data(count: 12_000), forKey: "second")
        }
        for _ in 0..<10 {
            try store.update { batch in
                try batch.set(Data(count: 12_000), forKey: "name")
                try batch.set("new", forKey: "other")
            }
        }
        #expect(try vault.bytes().count <= 65536)
        #expect(try vault.store.keys() == ["name", "other", "second"])
        // What is in use leaves no room for more.
        #expect(failure { try store.set(Data(count: 30_000), forKey: "third") }?.category == .noSpace)
        #expect(try vault.store.keys() == ["name", "other", "second"])
        #expect(try vault.store.verify()?.isSound == true)
        #expect(vault.litter().isEmpty)
    }

    @Test("a compaction that finds no room leaves the old file as it is", arguments: [0, 16384, 30_000, 40_000])
    func compaction(limit: Int) throws {
        let (vault, truth) = try makeSample()
        for index in 0..<40 { try vault.quickStore.set(Data(count: 1000), forKey: "large \(index)") }
        let bytes = try vault.bytes()
        let disk = FaultyFileSystem(syncs: false)
        let store = vault.builder.fileSystem(disk).build()
        _ = try store.keys()
        disk.restart { _, call in
            guard case .write(let offset, let count) = call, offset >= 0, offset + count > limit else { return nil }
            return .failsHalfway(ENOSPC)
        }
        #expect(failure { try store.compact() }?.category == .noSpace)
        disk.restart()
        #expect(try vault.bytes() == bytes)
        #expect(vault.litter().isEmpty)
        #expect(try truth.entries.allSatisfy { try store.get($0.key) == $0.value })
    }
}

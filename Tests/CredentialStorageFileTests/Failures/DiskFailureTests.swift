import CredentialStorage
import CredentialStorageFile
import Foundation
import Testing

@Suite("A disk that is full, read-only or broken", .timeLimit(.minutes(5)))
struct DiskFailureTests {
    /// A vault with two entries behind a file system that fails on demand.
    private static func make() throws -> (vault: TestVault, disk: FaultyFileSystem, store: EncryptedFileStorage) {
        let vault = try TestVault()
        let disk = FaultyFileSystem()
        let store = vault.builder.fileSystem(disk).build()
        try store.set("old", forKey: "name")
        try store.set("other", forKey: "other")
        return (vault, disk, store)
    }

    /// Memory and disk hold the same: this object and a new one on the real file system agree.
    private static func expectOld(_ vault: TestVault, _ store: EncryptedFileStorage, _ what: String) throws {
        for reader in [store, vault.store] {
            #expect(try reader.string(forKey: "name") == "old", "\(what)")
            #expect(try reader.string(forKey: "other") == "other", "\(what)")
            #expect(try reader.keys() == ["name", "other"], "\(what)")
        }
        #expect(try vault.store.verify()?.isSound == true, "\(what)")
        #expect(vault.litter().isEmpty, "\(what)")
    }

    @Test(
        "a failed write is typed, changes nothing, and the next good one works",
        arguments: [
            (ENOSPC, UnavailableCategory.noSpace), (EDQUOT, .noSpace), (EFBIG, .noSpace), (EROFS, .readOnly),
            (EIO, .ioError),
        ])
    func writes(number: Int32, category: UnavailableCategory) throws {
        for isHalf in [false, true] {
            let (vault, disk, store) = try Self.make()
            let failures: [(String, (EncryptedFileStorage) throws -> Void)] = [
                ("set", { try $0.set("new", forKey: "name") }),
                ("delete", { try $0.delete("name") }),
                ("deleteAll", { try $0.deleteAll() }),
                ("compareAndSet", { _ = try $0.compareAndSet("name", expected: Data("old".utf8), new: Data([1])) }),
                (
                    "update",
                    {
                        try $0.update {
                            try $0.set("x", forKey: "x"); try $0.delete("name")
                        }
                    }
                ),
            ]
            for (what, operation) in failures {
                let failed = Locked(false)
                disk.restart { _, call in
                    guard case .write(let offset, _) = call, offset >= 16384 else { return nil }
                    return failed.withLock { failed -> FaultyFileSystem.Fault? in
                        defer { failed = true }
                        if failed { return nil }
                        return isHalf ? .failsHalfway(number) : .fails(number)
                    }
                }
                let error = failure { try operation(store) }
                #expect(error?.category == category && error?.code == .errno(number), "\(what)")
                disk.restart()
                try Self.expectOld(vault, store, what)
            }
            try store.set("new", forKey: "name")
            #expect(try vault.store.string(forKey: "name") == "new")
        }
    }

    @Test("a disk that stays full still lets entries go, and takes new ones when there is room again")
    func full() throws {
        let (vault, disk, store) = try Self.make()
        for round in 0..<40 { try store.set("value", forKey: "entry \(round)") }
        let size = try vault.bytes().count
        // No byte can be added at the end of the file; what is there can be written.
        disk.restart { _, call in
            guard case .write(let offset, let count) = call, offset >= 0, offset + count > size else { return nil }
            return .failsHalfway(ENOSPC)
        }
        var stored = 0
        while failure({ try store.set(Data(count: 3000), forKey: "large \(stored)") }) == nil { stored += 1 }
        #expect(stored > 3)
        #expect(try vault.bytes().count == size)
        #expect(failure { try store.set(Data(count: 3000), forKey: "name") }?.category == .noSpace)
        for round in 0..<20 { #expect(try store.delete("entry \(round)")) }
        #expect(try store.string(forKey: "name") == "old")
        for reader in [store, vault.store] { #expect(try reader.keys().count == 2 + 20 + stored) }
        #expect(try vault.bytes().count == size)
        disk.restart()
        try store.set(Data(count: 3000), forKey: "large")
        #expect(try vault.store.get("large")?.count == 3000)
        #expect(try vault.store.verify()?.isSound == true)
    }

    @Test("a file that cannot grow much grows by what is needed")
    func littleRoom() throws {
        let (vault, disk, store) = try Self.make()
        disk.restart { _, call in
            guard case .write(let offset, let count) = call, offset >= 0, offset + count > 80_000 else { return nil }
            return .failsHalfway(ENOSPC)
        }
        for round in 0..<17 { try store.set(Data(count: 3000), forKey: "entry \(round)") }
        let bytes = try vault.bytes()
        #expect(bytes.count > 65536 && bytes.count <= 80_000 && bytes.count % 512 == 0)
        #expect(try vault.store.keys().count == 19)
    }

    @Test("a failed sync is answered as an error, and the old contents are proven")
    func sync() throws {
        let (vault, disk, store) = try Self.make()
        let count = Locked(0)
        disk.restart { _, call in
            guard call == .syncData else { return nil }
            return count.withLock { count -> FaultyFileSystem.Fault? in
                count += 1
                return count == 1 ? .fails(EIO) : nil
            }
        }
        #expect(failure { try store.set("new", forKey: "name") }?.category == .ioError)
        // The write was taken back: zeros over it, and a sync of those.
        let tail = disk.trace.suffix(2)
        #expect(tail.last == .syncData)
        guard case .write? = tail.first else {
            Issue.record("the failed write was not taken back")
            return
        }
        disk.restart()
        try Self.expectOld(vault, store, "sync")
        try store.set("new", forKey: "name")
        #expect(try vault.store.string(forKey: "name") == "new")
    }

    @Test("after a sync that failed twice the outcome is unknown, and the next write goes to a new file")
    func syncTwice() throws {
        let (vault, disk, store) = try Self.make()
        disk.restart { _, call in call == .syncData ? .fails(EIO) : nil }
        let error = failure { try store.set("new", forKey: "name") }
        #expect(
            error == .writeError(cause: .unavailable(operation: .write, category: .notConfirmed, code: .errno(EIO))))
        let before = try vault.bytes()
        // Nothing more is appended to the file, also when it is opened anew, and reading goes on.
        disk.restart { _, call in call == .syncData || call == .sync ? .fails(EIO) : nil }
        #expect(failure { try store.set("newer", forKey: "name") }?.category == .ioError)
        unlink(vault.companionPath)
        #expect(failure { try store.delete("name") }?.category == .ioError)
        #expect(try vault.bytes() == before)
        #expect(try store.string(forKey: "name") == "old")
        #expect(vault.litter().isEmpty)
        disk.restart()
        try store.set("newest", forKey: "name")
        #expect(disk.trace.contains(.rename))
        for reader in [store, vault.store] {
            #expect(try reader.string(forKey: "name") == "newest")
            #expect(try reader.string(forKey: "other") == "other")
        }
        disk.restart()
        try store.set("x", forKey: "x")
        #expect(!disk.trace.contains(.rename))
        #expect(try vault.store.verify()?.isSound == true)
        #expect(vault.litter().isEmpty)
    }

    @Test("a failed sync of new room changes nothing")
    func syncOfRoom() throws {
        let (vault, disk, store) = try Self.make()
        let size = try vault.bytes().count
        disk.restart { _, call in call == .syncData ? .fails(EIO) : nil }
        #expect(failure { try store.set(Data(count: 60_000), forKey: "large") }?.category == .ioError)
        disk.restart()
        #expect(try vault.bytes().count == size)
        try Self.expectOld(vault, store, "room")
        try store.set(Data(count: 60_000), forKey: "large")
        #expect(try vault.store.get("large")?.count == 60_000)
    }

    @Test("a failed sync of the directory answers no write")
    func syncOfDirectory() throws {
        let vault = try TestVault()
        unlink(vault.companionPath)
        let disk = FaultyFileSystem { _, call in call == .sync ? .fails(EIO) : nil }
        let store = vault.builder.fileSystem(disk).build()
        #expect(failure { try store.set("x", forKey: "x") }?.category == .ioError)
        #expect(try store.get("x") == nil)
        disk.restart { _, call in call == .sync ? .fails(EINVAL) : nil }
        // Some file systems cannot sync a directory and say so.
        try store.set("x", forKey: "x")
        #expect(try vault.store.string(forKey: "x") == "x")
    }

    @Test("a companion that cannot be written makes a write unconfirmed, and nothing is lost")
    func companion() throws {
        let (vault, disk, store) = try Self.make()
        disk.restart { _, call in
            if case .write(-1, _) = call { .fails(ENOSPC) } else { nil }
        }
        #expect(failure { try store.set("new", forKey: "name") }?.category == .notConfirmed)
        #expect(try store.string(forKey: "name") == "new")
        disk.restart()
        // The next writer, whoever it is, publishes it.
        let other = vault.store
        try other.set("x", forKey: "x")
        #expect(try other.string(forKey: "name") == "new")
        #expect(try store.keys() == ["name", "other", "x"])
    }

    @Test("an error while reading is an error of reading, and never damage")
    func reading() throws {
        let (vault, disk, _) = try Self.make()
        disk.restart { _, call in call == .read ? .fails(EIO) : nil }
        let store = vault.builder.fileSystem(disk).build()
        let expected = StorageError.readError(
            cause: .unavailable(operation: .read, category: .ioError, code: .errno(EIO)))
        #expect(failure { try store.get("name") } == expected)
        #expect(failure { try store.readAll() } == expected)
        disk.restart()
        #expect(try store.string(forKey: "name") == "old")
    }

    @Test("read-only media are read, and writes are refused by name")
    func readOnlyMedia() throws {
        let (vault, _, _) = try Self.make()
        unlink(vault.companionPath)
        let disk = FaultyFileSystem { _, call in
            if case .open(_, let access) = call, access == .read || access == .directory { return nil }
            return call.isChange || call.isOpen ? .fails(EROFS) : nil
        }
        let store = vault.builder.fileSystem(disk).build()
        #expect(try store.keys() == ["name", "other"])
        #expect(try store.string(forKey: "name") == "old")
        #expect(try store.get("never") == nil)
        #expect(failure { try store.set("new", forKey: "name") }?.category == .readOnly)
        #expect(failure { try store.delete("name") }?.category == .readOnly)
        #expect(store.probe().reason?.category == .readOnly)
        #expect(try store.verify()?.isSound == true)
        #expect(access(vault.companionPath, F_OK) != 0)
        // Somebody else writes to them after all; without a companion each read looks.
        try vault.store.set("new", forKey: "name")
        unlink(vault.companionPath)
        #expect(try store.string(forKey: "name") == "new")
    }

    @Test("a first write that fails leaves nothing, and the next one works", arguments: [ENOSPC, EROFS, EACCES])
    func creation(number: Int32) throws {
        let category: UnavailableCategory = number == ENOSPC ? .noSpace : number == EROFS ? .readOnly : .accessDenied
        let vault = try TestVault(isMade: false)
        try writeFile(vault.keyPath, [UInt8](repeating: 5, count: 32))
        let disk = FaultyFileSystem { _, call in
            if case .write = call { return .fails(number) }
            return nil
        }
        let store = vault.builder.fileSystem(disk).build()
        #expect(failure { try store.set("x", forKey: "x") }?.category == category)
        #expect(try FileManager.default.contentsOfDirectory(atPath: vault.directory).isEmpty)
        #expect(try store.get("x") == nil)
        disk.restart()
        try store.set("x", forKey: "x")
        #expect(try vault.store.string(forKey: "x") == "x")
    }
}

extension DiskCall {
    /// Whether a file is opened.
    var isOpen: Bool { if case .open = self { true } else { false } }
}

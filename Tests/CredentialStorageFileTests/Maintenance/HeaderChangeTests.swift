import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("A change of the header that fails or is stopped", .timeLimit(.minutes(5)))
struct HeaderChangeTests {
    /// A vault, and a key file that is to take the place of its own.
    private static func make() throws -> (vault: TestVault, old: KeySource, new: KeySource) {
        let vault = try TestVault()
        try vault.quickStore.set("value", forKey: "name")
        let path = vault.root + "/new.key"
        try writeFile(path, [UInt8](repeating: 9, count: 32))
        return (vault, .keyFile(vault.keyPath), .keyFile(path))
    }

    private static func opens(_ vault: TestVault, _ source: KeySource) throws -> Bool {
        let store = vault.builder.keySource(source).fileSystem(FaultyFileSystem(syncs: false)).build()
        let error = failure {
            let value = try store.string(forKey: "name")
            #expect(value == "value")
        }
        #expect(error == nil || error?.cause == .wrongKey, "\(String(describing: error))")
        return error == nil
    }

    @Test("leaves the old or the new key, the next writer leaves exactly one", arguments: [true, false])
    func sweep(stops: Bool) throws {
        var number = 1
        while true {
            let (vault, old, new) = try Self.make()
            let (target, isReached) = (number, Locked(false))
            let disk = FaultyFileSystem(syncs: false)
            let store = vault.builder.fileSystem(disk).build()
            _ = try store.keys()
            disk.restart { number, call in
                guard call.isChange, stops ? number >= target : number == target else { return nil }
                isReached.withLock { $0 = true }
                return number == target ? .failsHalfway(EIO) : .fails(EIO)
            }
            let error = failure { try store.changeKey(inSlot: 1, to: new) }
            disk.restart()
            let what = "call \(number): \(String(describing: error))"
            let isOld = try Self.opens(vault, old)
            let isNew = try Self.opens(vault, new)
            #expect(isOld || isNew, "\(what)")
            if error == nil { #expect(isNew, "\(what)") }
            if let error, error.category != .notConfirmed { #expect(isOld && !isNew, "\(what)") }
            // The object itself goes on, and what it writes is written under one header.
            try store.set("next", forKey: "next")
            let left = [try Self.opens(vault, old), try Self.opens(vault, new)]
            #expect(left.count { $0 } == 1, "\(what)")
            #expect(try store.verify()?.isSound == true, "\(what)")
            #expect(vault.litter().isEmpty, "\(what)")
            guard isReached.withLock({ $0 }) else {
                #expect(error == nil && number > 4)
                return
            }
            number += 1
        }
    }

    @Test("a write that is refused is an error of its own where nothing of it stays, and unknown where it does")
    func untouched() throws {
        // What writes nothing, what writes a half and takes that back, and what cannot take it back.
        for (kind, category) in [UnavailableCategory.noSpace, .noSpace, .notConfirmed].enumerated() {
            let (vault, old, new) = try Self.make()
            let before = try vault.bytes()
            let disk = FaultyFileSystem { _, call in
                guard case .write(8192..., let count) = call, kind != 1 || count == 8192 else { return nil }
                return kind == 0 ? .fails(ENOSPC) : .failsHalfway(ENOSPC)
            }
            let store = vault.builder.fileSystem(disk).build()
            #expect(failure { try store.changeKey(inSlot: 1, to: new) }?.category == category)
            #expect(try Self.opens(vault, old))
            if kind < 2 { #expect(try vault.bytes() == before) }
            disk.restart()
            try store.changeKey(inSlot: 1, to: new)
            #expect(try Self.opens(vault, new))
            #expect(try !Self.opens(vault, old))
        }
    }

    @Test("two copies that differ are told by verify, and made one by repair, which keeps the file as it was")
    func differing() throws {
        let (vault, old, new) = try Self.make()
        let before = try vault.bytes()
        try vault.store.changeKey(inSlot: 1, to: new)
        try vault.edit { $0.replaceSubrange(0..<8192, with: before[0..<8192]) }
        let bytes = try vault.bytes()
        let store = vault.builder.keySource(new).build()
        let report = try #require(try store.verify())
        #expect(report.headerCopiesDiffer && report.headerCopies == [true, true])
        #expect(!report.isIntact && !report.isSound)
        #expect(report.description.hasSuffix("; the copies of the header differ"))
        #expect(try vault.bytes() == bytes)
        let repaired = try #require(try store.repair())
        #expect(repaired.isComplete && repaired.keptAside == "credentials.vault.old-1")
        #expect(try readFile(vault.directory + "/credentials.vault.old-1") == bytes)
        #expect(try store.verify()?.isSound == true)
        #expect(try store.verify()?.headerCopiesDiffer == false)
        #expect(try !Self.opens(vault, old))
    }

    @Test("two copies that differ, as a stop between them leaves them, are one again after the next write")
    func stoppedBetween() throws {
        for isCut in [false, true] {
            let (vault, old, new) = try Self.make()
            let before = try vault.bytes()
            try vault.store.changeKey(inSlot: 1, to: new)
            try vault.edit { bytes in
                bytes.replaceSubrange(0..<8192, with: before[0..<8192])
                // Or the power went while copy 1 was written.
                if isCut { bytes.replaceSubrange(8192 + 200..<8192 + 400, with: [UInt8](repeating: 0, count: 200)) }
            }
            #expect(try Self.opens(vault, old))
            #expect(try Self.opens(vault, new) == !isCut)
            let source = isCut ? old : new
            try vault.builder.keySource(source).build().set("next", forKey: "next")
            #expect(try Self.opens(vault, old) == isCut)
            #expect(try Self.opens(vault, new) == !isCut)
            #expect(try vault.builder.keySource(source).build().verify()?.isSound == true)
            let bytes = try vault.bytes()
            #expect(bytes[0..<8192] == bytes[8192..<16384])
        }
    }

    @Test("who opens an older copy with a key that was removed writes under the newer header")
    func olderCopy() throws {
        let (vault, old, new) = try Self.make()
        let before = try vault.bytes()
        try vault.store.changeKey(inSlot: 1, to: new)
        try vault.edit { $0.replaceSubrange(0..<8192, with: before[0..<8192]) }
        let store = vault.builder.keySource(old).build()
        try store.addKey(.keyFile(vault.root + "/third.key"))
        #expect(try !Self.opens(vault, old))
        #expect(try Self.opens(vault, new))
        #expect(try Self.opens(vault, .keyFile(vault.root + "/third.key")))
    }

    @Test("a header that was put back whole is told, until something is written or it is accepted")
    func rolledBack() throws {
        let (vault, old, new) = try Self.make()
        let before = try vault.bytes()
        try vault.store.changeKey(inSlot: 1, to: new)
        let log = RecordedLog()
        for isAccepted in [true, false] {
            try vault.builder.keySource(new).build().set("next", forKey: "next")
            try vault.edit { $0.replaceSubrange(0..<16384, with: before[0..<16384]) }
            let store = vault.builder.keySource(old).log(log.log).build()
            #expect(try store.string(forKey: "next") == "next")
            #expect(log.messages.contains { $0.contains("header is older") })
            #expect(try store.verify()?.isRolledBack == true)
            if isAccepted {
                #expect(try store.repair()?.wasRolledBack == true)
                #expect(try vault.store.verify()?.isRolledBack == false)
                try store.changeKey(inSlot: 1, to: new)
            } else {
                try store.set("more", forKey: "more")
                #expect(try vault.store.verify()?.isRolledBack == false)
            }
        }
    }

    @Test("another process that has the vault open adds to the header that is there, and compacts under it")
    func others() throws {
        let (vault, old, new) = try Self.make()
        let other = vault.store
        _ = try other.keys()
        try vault.store.changeKey(inSlot: 1, to: new)
        try other.compact()
        #expect(try !Self.opens(vault, old))
        #expect(try Self.opens(vault, new))
        // Also where nothing told it of the change.
        let third = vault.builder.keySource(new).build()
        _ = try third.keys()
        try other.addKey(.keyFile(vault.root + "/third.key"))
        try third.rotateDataKey()
        #expect(try Self.opens(vault, .keyFile(vault.root + "/third.key")))
    }
}

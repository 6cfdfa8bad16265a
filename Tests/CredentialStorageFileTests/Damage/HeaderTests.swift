import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("A vault whose header was changed", .timeLimit(.minutes(5)))
struct HeaderTests {
    @Test("one damaged header copy is told and does no harm, both are an error", arguments: [0, 40, 90, 200, 310])
    func headerCopies(place: Int) throws {
        let sample = try SpliceTests.make()
        let bytes = try sample.vault.bytes()
        for start in [0, 8192] {
            var changed = bytes
            changed[start + place] ^= 1
            let copy = try sample.vault.copy(0, vault: changed)
            let log = RecordedLog()
            let store = copy.builder.log(log.log).build()
            #expect(sample.truth.violations(of: store).isEmpty)
            #expect(log.messages.contains { $0.contains("header") })
            #expect(try store.verify()?.headerCopies == [start != 0, start != 8192])
            try store.set("new", forKey: "new")
            #expect(try copy.store.string(forKey: "new") == "new")
        }
        var changed = bytes
        changed[place] ^= 1
        changed[8192 + place] ^= 1
        let store = try sample.vault.copy(0, vault: changed).store
        let expected = StorageError.readError(cause: place == 0 ? .notAStore : .damaged)
        #expect(failure { try store.get("a") } == expected)
        #expect(failure { try store.readAll() } == expected)
        #expect(failure { try store.keys() } == expected)
        #expect(failure { try store.set("x", forKey: "a") } == .writeError(cause: expected.cause))
        #expect(failure { try store.delete("a") } == .deleteError(cause: expected.cause))
    }

    @Test("a slot that was stripped, swapped or changed opens nothing, and the good copy is tried")
    func slots() throws {
        let sample = try SpliceTests.make()
        let other = try TestVault()
        let foreign = try other.bytes()
        let changes: [(String, @Sendable (inout [UInt8]) -> Void)] = [
            ("kind", { $0[162] = 1 }), ("unknown kind", { $0[162] = 9 }), ("flags", { $0[163] ^= 2 }),
            ("salt", { $0[180] ^= 1 }), ("check", { $0[200] ^= 1 }), ("nonce", { $0[230] ^= 1 }),
            ("sealed key", { $0[260] ^= 1 }), ("file id", { $0[16] ^= 1 }), ("log id", { $0[32] ^= 1 }),
            ("sequence", { $0[48] ^= 1 }), ("header sequence", { $0[56] ^= 2 }), ("data key", { $0[110] ^= 1 }),
            ("slot of another vault", { $0.replaceSubrange(160..<298, with: foreign[160..<298]) }),
            (
                "passphrase slot that asks too much",
                {
                    $0[162] = 1; $0[168] = 0xFF; $0[171] = 0xFF
                }
            ),
        ]
        for (name, change) in changes {
            for copies in [[0], [1], [0, 1]] {
                let copy = try sample.vault.copy(0, vault: try sample.vault.bytes())
                try copy.editHeaders(copies: copies, change)
                if copies.count == 2 {
                    let error = failure { try copy.store.get("a") }
                    #expect([.wrongKey, .damaged].contains(error?.cause), "\(name): \(String(describing: error))")
                } else {
                    #expect(sample.truth.violations(of: copy.store).isEmpty, "\(name) in copy \(copies)")
                    #expect(try copy.store.string(forKey: "a") == "value of a", "\(name) in copy \(copies)")
                }
            }
        }
    }

    @Test("key derivation beyond the limits is refused before anything is asked")
    func derivation() throws {
        let root = try TestVault(isMade: false)
        let asked = Locked(0)
        let builder = StorageBuilder.EncryptedFile(service: "test").path(root.path).keyDerivation(.floor)
            .log(.silent)
            .keySource(
                .passphrase { () -> String in
                    asked.withLock { $0 += 1 }
                    return "correct"
                })
        try builder.build().set("value", forKey: "name")
        let sound = try root.bytes()
        for (passes, kibibytes): (UInt32, UInt32) in [
            (0, 19456), (1, 19456), (.max, 19456), (11, 19456), (2, 0), (2, 1), (2, 19455), (2, .max),
            (2, 1 << 20 + 1), (10, 1 << 20), (.max, .max),
        ] {
            try root.edit { $0 = sound }
            try root.editHeaders { header in
                for index in 0..<4 {
                    header[168 + index] = UInt8(truncatingIfNeeded: passes >> (8 * index))
                    header[172 + index] = UInt8(truncatingIfNeeded: kibibytes >> (8 * index))
                }
            }
            asked.withLock { $0 = 0 }
            #expect(failure { try builder.build().get("name") } == .readError(cause: .parametersOutOfRange))
            #expect(failure { try builder.build().set("x", forKey: "x") } == .writeError(cause: .parametersOutOfRange))
            #expect(asked.withLock { $0 } == 0)
        }
        // In one copy only, the other one serves.
        try root.edit { $0 = sound }
        try root.editHeaders(copies: [0]) { $0[171] = 0xFF }
        #expect(try builder.build().string(forKey: "name") == "value")
        // Eight slots that are each within the limits are too much together.
        try root.edit { $0 = sound }
        #expect(
            failure { try builder.keyDerivation(Argon2Parameters(passes: 1, kibibytes: 8)).build().get("name") } == nil)
    }

    @Test("a file that is no vault, or of a newer version, is told apart")
    func others() throws {
        let vault = try TestVault()
        try vault.store.set("value", forKey: "name")
        let bytes = try vault.bytes()
        let text = Array("just some text\n".utf8)
        for content in [text, [UInt8](repeating: 0, count: 65536), text + bytes] {
            let store = try vault.copy(0, vault: content).store
            #expect([.notAStore, .damaged].contains(failure { try store.get("name") }?.cause))
            #expect([.notAStore, .damaged].contains(failure { try store.set("x", forKey: "name") }?.cause))
            #expect(try vault.copy(0, vault: content).bytes() == content)
        }
        try vault.editHeaders { $0[8] = 7 }
        #expect(failure { try vault.store.get("name") } == .readError(cause: .unsupportedVersion(7)))
        #expect(failure { try vault.store.delete("name") } == .deleteError(cause: .unsupportedVersion(7)))
    }
}

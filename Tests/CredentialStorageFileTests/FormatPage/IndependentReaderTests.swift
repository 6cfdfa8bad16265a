import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite(
    "An implementation made from FORMAT.md alone agrees with the library", .timeLimit(.minutes(3)),
    .enabled(if: IndependentReader.isThere, Comment(rawValue: IndependentReader.reasonForSkip)))
struct IndependentReaderTests {
    private let passphrase = "correct horse, battery"

    /// Values of many sizes, some of them replaced or deleted, both accented forms of one name among them.
    private func fill(_ storage: EncryptedFileStorage) throws {
        for size in [0, 1, 25, 26, 27, 58, 59, 500, 501, 502, 600, 1000, 4096, 5000, 100_000] {
            try storage.set(Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }), forKey: "size \(size)")
        }
        try storage.set("old", forKey: "replaced")
        try storage.set("\u{E9}", forKey: "caf\u{E9}")
        try storage.set("e\u{301}", forKey: "cafe\u{301}")
        try storage.set("gone", forKey: "deleted")
        try storage.update { batch in
            try batch.set("new", forKey: "replaced")
            try batch.delete("deleted")
            try batch.set("1", forKey: String(repeating: "n", count: 1024))
        }
        #expect(try storage.delete("size 600"))
    }

    private func compare(_ place: PageVault, _ storage: EncryptedFileStorage, _ source: [String]) throws {
        let answer = try #require(try IndependentReader.read([place.vault], source).first)
        let verdict = try Verdict(reading: storage)
        #expect(answer.verdict == verdict)
        guard case .read(let entries, let omitted, let lost) = verdict else {
            Issue.record("the library refused its own vault")
            return
        }
        #expect(entries.count == 18 && omitted.isEmpty && lost == 0)
        // 19 single writes, a commit of three, and a delete.
        #expect(answer.frames == 23)
        #expect(answer.torn == nil)
        #expect(answer.headerCopies == [true, true])
        #expect(answer.published == answer.tail)
    }

    @Test("it reads a vault under a key file")
    func keyFile() throws {
        let place = try PageVault()
        let storage = place.builder.build()
        try storage.create()
        try fill(storage)
        try compare(place, storage, ["--key-file", place.keyFile])
    }

    @Test("it reads a vault under a passphrase")
    func passphraseSlot() throws {
        let place = try PageVault()
        let storage = place.builder.keySource(.passphrase { [passphrase] in passphrase }).keyDerivation(.floor).build()
        try fill(storage)
        let file = "\(place.directory)/passphrase"
        try PageVault.write(Array("\(passphrase)\n".utf8), to: file)
        try compare(place, storage, ["--passphrase-file", file])
    }

    @Test(
        "it reads a vault that is bound to this machine",
        .enabled(if: FileManager.default.fileExists(atPath: "/etc/machine-id"), "this machine has no machine id"))
    func machine() throws {
        let place = try PageVault()
        let storage = place.builder.accessibility(.afterFirstUnlockThisDeviceOnly).build()
        try storage.create()
        try fill(storage)
        try compare(place, storage, ["--key-file", place.keyFile])
    }

    private static let key = Array(UInt8(0xA0)...0xBF)

    @Test("it reads a vault under a passphrase that was made from the bytes of a text in another form")
    func typedForm() throws {
        let place = try PageVault()
        let typed = "cafe\u{301}"
        let storage = place.builder.keySource(.passphrase { Data(typed.utf8) }).keyDerivation(.floor).build()
        try fill(storage)
        try PageVault.write(Array("\(typed)\n".utf8), to: place.keyFile)
        try compare(place, storage, ["--passphrase-text", place.keyFile])
    }

    @Test("it reads a vault under a key in the kernel's memory, given the key")
    func kernelKey() throws {
        // The slot is that of a key file but for its kind, which only its own key vouches for.
        let place = try PageVault()
        let made = try IndependentReader.run(
            [place.vault, "--kernel-key", place.keyFile, "--write"], input: Data("[[[\"one\", \"AAEC\"]]]".utf8))
        #expect(made.status == 0)
        #expect(try place.builder.build().keySlots().map(\.source) == [.kernelKeyring])
        #expect(failure { try place.builder.build().get("one") } == .readError(cause: .wrongKey))
        let answer = try IndependentReader.read([place.vault], ["--kernel-key", place.keyFile])[0]
        #expect(answer.entries?.map(\.value) == [Data([0, 1, 2])])
    }

    @Test("the library reads what it writes, and both read on after the library has written more")
    func written() throws {
        let typed = "cafe\u{301}"
        let entry = StorageBuilder.InMemory().build()
        try entry.set(Data(Self.key), forKey: "key")
        let kinds: [(option: String, secret: [UInt8], source: KeySource?)] = [
            ("--key-file", Self.key, nil),
            ("--passphrase-file", Array("pass".utf8), .passphrase { "pass" }),
            ("--passphrase-text", Array(typed.utf8), .passphrase { typed }),
            ("--entry", Self.key, .entry("key", in: entry)),
            ("--credential", Array("a credential of over 32 bytes, and a newline\n".utf8), .systemdCredential("key")),
        ]
        for (option, secret, source) in kinds {
            let place = try PageVault()
            try PageVault.write(secret, to: place.keyFile)
            let long = Data(repeating: 7, count: 70_000)
            let commits: [[[String?]]] = [
                [["one", Data("first".utf8).base64EncodedString()], ["two", ""]],
                [["three", long.base64EncodedString()]],
                [["one", Data("second".utf8).base64EncodedString()], ["two", nil], ["caf\u{E9}", "AAEC"]],
            ]
            let made = try IndependentReader.run(
                [place.vault, option, place.keyFile, "--write"], input: try JSONEncoder().encode(commits))
            #expect(made.status == 0)
            let builder = place.builder.environment(Environment { ["CREDENTIALS_DIRECTORY": place.directory][$0] })
            let storage = (source.map { builder.keySource($0) } ?? builder).build()
            let all = try storage.readAll()
            #expect(
                all.entries == [
                    Entry(key: "caf\u{E9}", value: Data([0, 1, 2])), Entry(key: "one", value: Data("second".utf8)),
                    Entry(key: "three", value: long),
                ])
            #expect(all.isComplete)
            #expect(try storage.get("two") == nil)
            #expect(try storage.verify()?.isSound == true)
            try storage.set("more", forKey: "four")
            let answer = try #require(try IndependentReader.read([place.vault], [option, place.keyFile]).first)
            #expect(try answer.verdict == Verdict(reading: storage))
            #expect(answer.frames == 7)
        }
    }

    @Test("it reads a vault that was compacted, and one that was written to afterwards")
    func compacted() throws {
        let place = try PageVault()
        let storage = place.builder.build()
        try storage.create()
        try fill(storage)
        for frames in [18, 19] {
            if frames == 18 { try storage.compact() } else { try storage.set("newest", forKey: "replaced") }
            let answer = try #require(try IndependentReader.read([place.vault], ["--key-file", place.keyFile]).first)
            #expect(try answer.verdict == Verdict(reading: storage))
            #expect(answer.frames == frames && answer.torn == nil && answer.published == answer.tail)
        }
    }

    @Test("it reads a vault after its slots were changed, and after its keys were rotated")
    func keys() throws {
        let place = try PageVault()
        let storage = place.builder.keyDerivation(.floor).build()
        try storage.create()
        try fill(storage)
        let file = "\(place.directory)/passphrase"
        try PageVault.write(Array("\(passphrase)\n".utf8), to: file)
        let source = KeySource.passphrase { [passphrase] in passphrase }
        let steps: [(String, () throws -> Void)] = [
            ("added", { try storage.addKey(source) }), ("rotated", { try storage.rotateDataKey() }),
            ("renewed", { try storage.rotateMasterKey(keeping: [source]) }),
            ("removed", { try storage.removeKey(inSlot: 1) }),
        ]
        for (what, step) in steps {
            try step()
            let options = ["--key-file", place.keyFile, "--passphrase-file", file]
            for pair in [options.prefix(2), options.suffix(2)] {
                let answer = try #require(try IndependentReader.read([place.vault], Array(pair)).first)
                if what == "removed", pair[pair.startIndex] == "--key-file" {
                    #expect(answer.verdict == .refused("wrongKey"))
                } else {
                    #expect(try answer.verdict == Verdict(reading: storage), "\(what)")
                    #expect(answer.headerCopies == [true, true] && answer.published == answer.tail, "\(what)")
                }
            }
        }
    }

    @Test("an index frame is skipped by both, and a destroyed one is a loss")
    func indexFrame() throws {
        let place = try PageVault()
        let commits: [[[String?]]] = [[["one", "AAEC"]], [[nil, nil], ["two", "AAEC"]], [["one", nil]]]
        let made = try IndependentReader.run(
            [place.vault, "--key-file", place.keyFile, "--write"], input: try JSONEncoder().encode(commits))
        #expect(made.status == 0)
        let vault = try place.bytes
        let report = try #require(try place.builder.build().verify())
        #expect(report.isSound && report.frames.map(\.kind) == [.value, .index, .value, .delete])
        for (name, lost) in [("sound", 0), ("damaged", 1)] {
            let path = "\(place.directory)/\(name)"
            var bytes = vault
            if lost == 1 { bytes[report.frames[1].offset + 97] ^= 1 }
            try PageVault.write(bytes, to: path)
            let verdict = Verdict.read(
                entries: [Entry(key: "two", value: Data([0, 1, 2]))], omitted: [], lost: lost)
            #expect(try Verdict(reading: place.builder.path(path).build()) == verdict)
            #expect(try IndependentReader.read([path], ["--key-file", place.keyFile])[0].verdict == verdict)
        }
    }

    @Test("a header copy that asks for too much work is passed over by both, and two refuse the file")
    func work() throws {
        let place = try PageVault()
        try PageVault.write(Array("\(passphrase)\n".utf8), to: place.keyFile)
        let builder = place.builder.keySource(.passphrase { [passphrase] in passphrase }).keyDerivation(.floor)
        try builder.build().create()
        let vault = try place.bytes
        var paths: [String] = []
        func vary(_ name: String, _ copies: [Int], _ change: (inout [UInt8]) -> Void) throws {
            var bytes = vault
            for copy in copies { bytes.replaceSubrange(copy..<copy + 8192, with: header(of: vault, change)) }
            paths.append("\(place.directory)/\(name)")
            try PageVault.write(bytes, to: paths[paths.count - 1])
        }
        try vary("one copy", [0]) { $0[168] = 11 }
        try vary("both copies", [0, 8192]) { $0[168] = 11 }
        try vary("too little", [0, 8192]) { $0[168] = 1 }
        try vary("three slots at the cap", [0, 8192]) { header in
            header.replaceSubrange(168..<176, with: [4, 0, 0, 0, 0, 0, 16, 0])
            let slot = header[160..<header.count]
            header += Array(slot) + Array(slot)
            header[152] = 3
        }
        let verdicts = try IndependentReader.read(paths, ["--passphrase-file", place.keyFile]).map(\.verdict)
        let refused = Verdict.refused("parametersOutOfRange")
        #expect(verdicts == [.read(entries: [], omitted: [], lost: 0), refused, refused, refused])
        #expect(try paths.map { try Verdict(reading: builder.path($0).build()) } == verdicts)
    }

    /// A header copy with other bytes before its hashes, which are made to fit as far as they can be without a key.
    private func header(of vault: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
        let length = Int(vault[12]) + Int(vault[13]) << 8
        var header = Array(vault[..<(length - 64)])
        change(&header)
        let changed = header.count + 64
        header.replaceSubrange(12..<14, with: [UInt8(changed & 255), UInt8(changed >> 8)])
        header += [UInt8](repeating: 0, count: 32)
        header += PageKeys.hash(32, [], header)
        return header + [UInt8](repeating: 0, count: 8192 - header.count)
    }

    @Test("a wrong key is a wrong key in both")
    func wrongKey() throws {
        let place = try PageVault()
        let storage = place.builder.build()
        try storage.create()
        try storage.set("value", forKey: "name")
        try PageVault.write([UInt8](repeating: 9, count: 32), to: place.keyFile)
        let run = try IndependentReader.run([place.vault, "--key-file", place.keyFile])
        #expect(run.status == 8)
        #expect(try run.answers().map(\.verdict) == [.refused("wrongKey")])
        #expect(try Verdict(reading: place.builder.build()) == .refused("wrongKey"))
    }

    @Test("a named lock stands where the page says")
    func namedLock() throws {
        let place = try PageVault()
        let storage = place.builder.build()
        let lock = try storage.acquireLock("refresh", timeout: .seconds(5))
        func isHeld(_ name: String) throws -> String {
            String(
                decoding: try IndependentReader.run([place.vault, "--lock-held", name]).output, as: UTF8.self)
        }
        #expect(try isHeld("refresh") == "true\n")
        #expect(try isHeld("refresh2") == "false\n")
        lock.release()
        #expect(try isHeld("refresh") == "false\n")
    }
}

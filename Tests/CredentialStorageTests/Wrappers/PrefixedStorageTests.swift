import CredentialStorage
import FoundationEssentials
import Testing

@Suite("A part of a store")
struct PrefixedStorageTests {
    private static var bases: [any Storage] {
        get throws { [StorageBuilder.InMemory().build(), try FiveMemberStorage()] }
    }

    private static func bytes(_ names: [String]) -> [[UInt8]] { names.map { Array($0.utf8) } }

    @Test("it reads, writes, lists and removes only what belongs to its prefix")
    func touchesOnlyItsPart() throws {
        for base in try Self.bases {
            for name in ["x", "x/", "x/a", "x/b", "x0", "xx/a", "y/a", "X/a", "x\u{301}/a"] {
                try base.set("base \(name)", forKey: name)
            }
            let part = StorageBuilder.prefixed("x/", over: base)
            #expect(try part.keys() == ["a", "b"])
            #expect(try part.string(forKey: "a") == "base x/a")
            #expect(try part.get("x/a") == nil)
            #expect(try part.getAll() == ["a": Data("base x/a".utf8), "b": Data("base x/b".utf8)])
            try part.set("new", forKey: "c")
            #expect(try base.string(forKey: "x/c") == "new")
            #expect(try part.delete("a"))
            #expect(try !part.delete("a"))
            #expect(try !part.delete("y/a"))
            try part.deleteAll()
            #expect(try part.keys().isEmpty)
            #expect(try base.keys() == ["X/a", "x", "x/", "x0", "xx/a", "x\u{301}/a", "y/a"])
            try part.deleteAll()
            #expect(try base.keys().count == 7)
        }
    }

    @Test("an empty name does not name the prefix, and the joined name obeys the limit")
    func checksNames() throws {
        for base in try Self.bases {
            try base.set("exact", forKey: "x/")
            let part = StorageBuilder.prefixed("x/", over: base)
            let longest = String(repeating: "n", count: 1022)
            try part.set("long", forKey: longest)
            #expect(try part.string(forKey: longest) == "long")
            for key in ["", "a\u{0}", longest + "n"] {
                #expect(throws: StorageError.readError(cause: .invalidEntryKey)) { try part.get(key) }
                #expect(throws: StorageError.readError(cause: .invalidEntryKey)) {
                    try part.withSecret(forKey: key) { _ in }
                }
                #expect(throws: StorageError.writeError(cause: .invalidEntryKey)) { try part.set(Data(), forKey: key) }
                #expect(throws: StorageError.writeError(cause: .invalidEntryKey)) {
                    try part.setSecret(Data().span, forKey: key)
                }
                #expect(throws: StorageError.deleteError(cause: .invalidEntryKey)) { try part.delete(key) }
            }
            #expect(try part.keys() == [longest])
            #expect(try base.string(forKey: "x/") == "exact")
        }
    }

    @Test(
        "a prefix that is no valid name is refused by every operation",
        arguments: ["", "a\u{0}", String(repeating: "x", count: 1025)])
    func checksThePrefix(_ prefix: String) throws {
        let base = StorageBuilder.InMemory().build()
        try base.set("a", forKey: "a")
        let part = base.prefixed(prefix)
        #expect(throws: StorageError.readError(cause: .invalidEntryKey)) { try part.get("a") }
        #expect(throws: StorageError.readError(cause: .invalidEntryKey)) { try part.keys() }
        #expect(throws: StorageError.readError(cause: .invalidEntryKey)) { try part.readAll() }
        #expect(throws: StorageError.writeError(cause: .invalidEntryKey)) { try part.set("a", forKey: "b") }
        #expect(throws: StorageError.deleteError(cause: .invalidEntryKey)) { try part.delete("a") }
        #expect(throws: StorageError.deleteError(cause: .invalidEntryKey)) { try part.deleteAll() }
        #expect(throws: StorageError.writeError(cause: .invalidEntryKey)) { try part.update { _ in } }
        #expect(throws: StorageError.readError(cause: .invalidEntryKey)) {
            try part.acquireLock("a", timeout: .zero)
        }
        #expect(throws: StorageError.writeError(cause: .invalidEntryKey)) {
            try part.compareAndSet("a", expected: nil, new: nil)
        }
        #expect(
            part.probe()
                == StorageProbe(
                    isReachable: true, isLocked: false, isReadable: false, isWritable: false,
                    reason: .readError(cause: .invalidEntryKey)))
        #expect(try base.keys() == ["a"])
    }

    @Test("both accented forms stay two entries, also where prefix and name could combine")
    func keepsBothForms() throws {
        for base in try Self.bases {
            let part = StorageBuilder.prefixed("caf\u{65}", over: base)
            try base.set("composed", forKey: "caf\u{E9}s")
            try part.set("combining", forKey: "\u{301}s")
            try part.set("plain", forKey: "s")
            #expect(Self.bytes(try base.keys()) == Self.bytes(["cafes", "cafe\u{301}s", "caf\u{E9}s"]))
            #expect(Self.bytes(try part.keys()) == Self.bytes(["s", "\u{301}s"]))
            #expect(try part.string(forKey: "\u{301}s") == "combining")
            #expect(try base.string(forKey: "cafe\u{301}s") == "combining")
            #expect(Self.bytes(try part.readAll().entries.map(\.key)) == Self.bytes(["s", "\u{301}s"]))

            let names = StorageBuilder.prefixed("n/", over: base)
            try names.set("1", forKey: "\u{E9}")
            try names.set("2", forKey: "e\u{301}")
            #expect(Self.bytes(try names.keys()) == Self.bytes(["e\u{301}", "\u{E9}"]))
            #expect(throws: StorageError.readError(cause: .ambiguous)) { try names.getAll() }
            #expect(try names.readAll()[key: "\u{E9}"] == Data("1".utf8))
            try part.deleteAll()
            #expect(Self.bytes(try base.keys()) == Self.bytes(["caf\u{E9}s", "n/e\u{301}", "n/\u{E9}"]))

            let composed = StorageBuilder.prefixed("n/\u{E9}", over: base)
            try composed.set("3", forKey: "z")
            try base.set("4", forKey: "n/e\u{301}z")
            #expect(try composed.keys() == ["z"])
            #expect(try composed.string(forKey: "z") == "3")
        }
    }

    @Test("parts nest")
    func nests() throws {
        let base = StorageBuilder.InMemory().build()
        let inner = base.prefixed("a/").prefixed("b/")
        try inner.set("v", forKey: "c")
        #expect(try base.keys() == ["a/b/c"])
        #expect(try inner.keys() == ["c"])
        #expect(try base.prefixed("a/b/").string(forKey: "c") == "v")
    }

    @Test("omissions under the prefix are named without it; those without a name, and losses, are not hidden")
    func passesOmissionsOn() throws {
        let records = Locked<[StorageLog.Record]>([])
        let base = try FiveMemberStorage([("x/a", Data([1])), ("y/a", Data([2]))])
        base.state.withLock { state in
            state.omitted = [
                OmittedEntry(key: "x/bad", reason: .damaged), OmittedEntry(key: "y/bad", reason: .damaged),
                OmittedEntry(key: "x/", reason: .damaged), OmittedEntry(key: nil, reason: .keyLost),
            ]
            state.lost = 2
        }
        let part = base.prefixed("x/")
        let bulk = try part.readAll()
        #expect(bulk.entries == [Entry(key: "a", value: Data([1]))])
        #expect(
            bulk.omitted == [OmittedEntry(key: "bad", reason: .damaged), OmittedEntry(key: nil, reason: .keyLost)])
        #expect(bulk.lost == 2)
        #expect(try part.keys() == ["a", "bad"])
        bulk.report(to: StorageLog { record in records.withLock { $0.append(record) } })
        #expect(records.withLock { $0.map(\.entry) } == ["bad", nil, nil])
    }

    @Test("values pass in locked memory by the base's own forms, and the log is the base's")
    func usesTheBasesOwnForms() throws {
        let kinds = Locked<[Observation.Kind]>([])
        let records = Locked(0)
        let log = StorageLog { _ in records.withLock { $0 += 1 } }
        let part = StorageBuilder.InMemory().log(log).build()
            .observed { observation in kinds.withLock { $0.append(observation.kind) } }.prefixed("x/")
        try part.setSecret(Data([1, 2]).span, forKey: "a")
        let count = try part.withSecret(forKey: "a") { $0?.count }
        #expect(count == 2)
        let absent = try part.withSecret(forKey: "b") { $0 == nil }
        #expect(absent)
        #expect(kinds.withLock { $0 } == [.setSecret, .withSecret, .withSecret])
        part.log.record(.warning, "x")
        #expect(records.withLock { $0 } == 1)
        #expect(throws: ForeignStorageError.self) {
            try part.withSecret(forKey: "a") { _ in throw ForeignStorageError() }
        }
    }

    @Test("errors are the base's, of the operation that was asked for; a foreign one loses its text")
    func adoptsErrors() throws {
        let base = try FiveMemberStorage()
        let part = base.prefixed("x/")
        base.fail(with: ForeignStorageError())
        func foreign(_ operation: StorageOperation) -> StorageError {
            .unavailable(operation: operation, category: .foreign, code: .none)
        }
        #expect(throws: StorageError.readError(cause: foreign(.read))) { try part.get("a") }
        #expect(throws: StorageError.readError(cause: foreign(.read))) { try part.keys() }
        #expect(throws: StorageError.readError(cause: foreign(.read))) { try part.readAll() }
        #expect(throws: StorageError.readError(cause: foreign(.read))) { try part.withSecret(forKey: "a") { _ in } }
        #expect(throws: StorageError.writeError(cause: foreign(.write))) { try part.set("a", forKey: "a") }
        #expect(throws: StorageError.writeError(cause: foreign(.write))) {
            try part.setSecret(Data().span, forKey: "a")
        }
        #expect(throws: StorageError.deleteError(cause: foreign(.delete))) { try part.delete("a") }
        #expect(throws: StorageError.deleteError(cause: foreign(.delete))) { try part.deleteAll() }
        base.fail(with: StorageError.readError(cause: .damaged))
        #expect(throws: StorageError.deleteError(cause: .damaged)) { try part.deleteAll() }
    }

    @Test("printing it shows neither the prefix nor what is in it")
    func isRedacted() throws {
        let base = try FiveMemberStorage([("canary/canary", Data("canary".utf8))])
        #expect(!everyRendering(of: base.prefixed("canary/")).contains("canary"))
    }
}

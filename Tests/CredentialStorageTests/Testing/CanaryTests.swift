internal import CredentialStorage
internal import CredentialStorageTesting
internal import FoundationEssentials
internal import Testing

@Suite("Canaries", .timeLimit(.minutes(10)))
struct CanaryTests {
    /// Every disguise that a leak may wear.
    private static let disguises: [(name: String, apply: @Sendable (String) -> String)] = [
        ("plain", { $0 }),
        ("inside other text", { "before" + $0 + "after" }),
        ("cut to its first twelve", { String($0.prefix(12)) }),
        ("cut to its last twelve", { String($0.suffix(12)) }),
        ("backwards", { String($0.reversed()) }),
        ("base64", { Data($0.utf8).base64EncodedString() }),
        ("base64 after one byte", { Data(("x" + $0).utf8).base64EncodedString() }),
        ("base64 after two bytes", { Data(("xy" + $0 + "z").utf8).base64EncodedString() }),
        ("base64 backwards", { String(Data($0.utf8).base64EncodedString().reversed()) }),
        ("hexadecimal", { hex($0, prefix: "") }),
        ("upper-case hexadecimal", { hex($0, prefix: "").uppercased() }),
        ("hexadecimal with spaces", { hex($0, prefix: " ") }),
        ("hexadecimal with colons", { hex($0, prefix: ":") }),
        ("percent", { hex($0, prefix: "%").uppercased() }),
        ("escapes", { hex($0, prefix: "\\x") }),
        ("JSON escapes", { hex($0, prefix: "\\u00") }),
        ("an array of bytes", { "\(Array($0.utf8))" }),
        ("a quoted string", { $0.debugDescription }),
        ("a dumped array", { text in "\(text.utf8.map { $0 })" }),
    ]

    private static func hex(_ text: String, prefix: String) -> String {
        text.utf8.map { prefix + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("a leak is found in every disguise", arguments: 0..<19)
    func disguise(index: Int) {
        let (name, apply) = Self.disguises[index]
        for _ in 0..<5 {
            let canary = Canary()
            let ofValue = canary.leaks(in: "text " + apply(canary.text) + " text")
            #expect(ofValue.contains { $0.hasPrefix("value") }, "the value was missed: \(name)")
            let ofName = canary.leaks(in: apply(canary.name))
            #expect(ofName.contains { $0.hasPrefix("name") }, "the name was missed: \(name)")
        }
        #expect(Self.disguises.count == 19)
    }

    @Test("a leak is found among bytes that are not text")
    func bytes() {
        let canary = Canary()
        let noise = Data([0xFF, 0x00, 0xC3])
        #expect(!canary.leaks(in: noise + canary.value + noise).isEmpty)
        let wide = Data(canary.text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        #expect(canary.leaks(in: noise + wide).contains { $0.contains("UTF-16") })
    }

    @Test("other text is no leak")
    func innocent() {
        let canary = Canary()
        let other = Canary()
        #expect(canary.leaks(in: "").isEmpty)
        #expect(canary.leaks(in: Data()).isEmpty)
        #expect(canary.leaks(in: other.text + other.name).isEmpty)
        #expect(canary.leaks(in: String(canary.text.prefix(11))).isEmpty)
        #expect(canary.leaks(in: String(repeating: "A", count: 10_000)).isEmpty)
        #expect(canary.leaks(in: Data(count: 1 << 16)).isEmpty)
    }

    @Test("canaries differ and are valid names and values")
    func random() throws {
        let canaries = (0..<100).map { _ in Canary() }
        #expect(Set(canaries.map(\.text)).count == 100)
        #expect(Set(canaries.map(\.name)).count == 100)
        for canary in canaries { _ = try EntryKey(canary.name) }
        #expect(canaries.allSatisfy { $0.value == Data($0.text.utf8) })
    }

    @Test("renderings reach descriptions, stored properties, children of children and localized texts")
    func renderings() {
        struct Inner { let hidden: String }
        struct Outer: Error { let inner: [Inner] }
        final class Base { let text: String; init(_ text: String) { self.text = text } }
        struct Localized: LocalizedError {
            let secret: String
            var errorDescription: String? { "what: \(secret)" }
            var recoverySuggestion: String? { "do: \(secret)" }
        }
        let canary = Canary()
        #expect(!canary.leaks(in: Outer(inner: [Inner(hidden: canary.text)]) as Any).isEmpty)
        #expect(!canary.leaks(in: Base(canary.text) as Any).isEmpty)
        #expect(Canary.renderings(of: Localized(secret: canary.text)).contains("what: \(canary.text)"))
        #expect(Canary.renderings(of: Localized(secret: canary.text)).contains("do: \(canary.text)"))
    }

    @Test("nothing of the core that holds a secret or a name shows it")
    func coreTypes() throws {
        let canary = Canary()
        let storage = StorageBuilder.InMemory().build()
        try storage.set(canary.value, forKey: canary.name)
        let token = SDKInstallToken(value: canary.text, installID: canary.name)
        var batch = StorageBatch { _ in canary.value }
        try batch.set(canary.value, forKey: canary.name)
        let lock = try storage.acquireLock(canary.name, timeout: .zero)
        let tokens = StorageTokenStore(storage, key: canary.name)
        let subjects: [Any] = [
            storage, try EntryKey(canary.name), try storage.readAll(), Entry(key: canary.name, value: canary.value),
            OmittedEntry(key: canary.name, reason: .damaged), batch, batch.changes, token, lock, canary, tokens,
            BulkRead(entries: [], omitted: [OmittedEntry(key: canary.name, reason: .damaged)]),
        ]
        for subject in subjects {
            let leaks = canary.leaks(in: subject)
            #expect(leaks.isEmpty, "\(type(of: subject)) shows \(leaks)")
        }
        lock.release()
    }

    @Test("no value of any error shows anything but its own words", arguments: StorageErrorTests.causes)
    func errors(cause: StorageError) {
        for error in [cause, .readError(cause: cause), .writeError(cause: cause), .deleteError(cause: cause)] {
            for text in Canary.renderings(of: error).map({ $0.filter { $0 != "\u{25BF}" } }) {
                #expect(text.utf8.allSatisfy { $0 < 0x80 })
                #expect(text.utf8.count < 600)
            }
        }
    }
}

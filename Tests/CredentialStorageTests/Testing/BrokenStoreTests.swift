internal import CredentialStorage
internal import CredentialStorageTesting
internal import FoundationEssentials
internal import Testing

/// Shows that the contracts notice stores that are wrong in the ways in which stores usually are.
@Suite("Contracts notice broken stores", .timeLimit(.minutes(10)))
struct BrokenStoreTests {
    private static let settings = ContractSettings(entryCount: 20, rounds: 30, deadline: .seconds(300))

    @Test("each fault is noticed by the rule that is about it", arguments: BrokenStorage.Fault.allCases)
    func storage(_ fault: BrokenStorage.Fault) async throws {
        let rule = try #require(StorageContract.allCases.first { $0.sentence.contains(fault.rule) })
        let violation = await #expect(throws: ContractViolation.self) {
            try await rule.verify(settings: Self.settings) { BrokenStorage(fault) }
        }
        #expect(violation?.rule == rule.sentence)
    }

    @Test("a sound store of the five required members keeps the contract")
    func sound() async throws {
        let violations = try await StorageContract.violations(settings: Self.settings) { BrokenStorage(nil) }
        #expect(violations.isEmpty)
    }

    @Test("a violation says which kind of name was the trouble")
    func kindOfName() async throws {
        let rule = try #require(StorageContract.allCases.first { $0.sentence.contains("names with slashes") })
        let violation = await #expect(throws: ContractViolation.self) {
            try await rule.verify(settings: Self.settings) { BrokenStorage(.keyedByString) }
        }
        #expect(violation?.message.contains("a name with a composed \u{E9}") == true)
    }

    @Test("a store that hangs is a violation, not a hanging test")
    func hanging() async throws {
        let rule = try #require(StorageContract.allCases.first)
        let gate = Locked(false)
        let settings = ContractSettings(deadline: .milliseconds(100))
        await #expect(throws: ContractViolation.self) {
            try await rule.verify(settings: settings) { HangingStorage(gate: gate) }
        }
        gate.notify { $0 = true }
    }

    @Test("a broken rule is recorded at the caller's line, with the rule's sentence")
    func recording() async throws {
        let rule = try #require(StorageContract.allCases.first { $0.sentence == "an empty value is a value" })
        let line = #_sourceLocation.line + 2
        try await withKnownIssue {
            try await rule.check { BrokenStorage(.emptyIsAbsent) }
        } matching: { issue in
            let violation = issue.error as? ContractViolation
            return issue.sourceLocation?.line == line && violation?.rule == rule.sentence
        }
        #expect(rule.testDescription == rule.sentence)
    }

    @Test("rules have sentences of their own")
    func sentences() {
        func areUnique(_ sentences: [String]) -> Bool { Set(sentences).count == sentences.count && sentences.count > 4 }
        #expect(areUnique(StorageContract.allCases.map(\.sentence)))
        #expect(areUnique(AtomicStorageContract.allCases.map(\.sentence)))
        #expect(areUnique(TransactionalStorageContract.allCases.map(\.sentence)))
        #expect(areUnique(TokenStoreContract.allCases.map(\.sentence)))
        #expect(areUnique(AtomicTokenStoreContract.allCases.map(\.sentence)))
    }
}

/// Never answers until it is let go.
private struct HangingStorage: Storage {
    let gate: Locked<Bool>

    private func hang() { _ = gate.wait(until: nil) { $0 ? true : nil } }
    func get(_ key: String) throws -> Data? { hang(); return nil }
    func set(_ value: Data, forKey key: String) throws { hang() }
    func delete(_ key: String) throws -> Bool { hang(); return false }
    func readAll() throws -> BulkRead { hang(); return BulkRead(entries: []) }
    func keys() throws -> [String] { hang(); return [] }
}

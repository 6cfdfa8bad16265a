public import Testing

/// A list of rules that every store of one kind keeps.
///
/// Inside a test function of your own, each rule is one case with a sentence as its name:
///
/// ```swift
/// @Test(arguments: StorageContract.allCases)
/// func contract(_ rule: StorageContract) async throws {
///     try await rule.check { MyStorage() }
/// }
/// ```
///
/// ``checkAll(settings:sourceLocation:_:)`` runs them all in one test. Both record an issue at the caller's line for a rule
/// that is broken. Outside a test, ``verify(settings:_:)`` throws ``ContractViolation`` instead and records nothing.
///
/// The factory is called once or twice for each rule. Each store that it gives must be empty, and must share nothing
/// with the others.
public protocol Contract: CaseIterable, CustomTestStringConvertible, Identifiable, Sendable
where AllCases == [Self], ID == String {
    /// What is tested, as an existential: `any Storage` and the like.
    associatedtype Subject: Sendable

    /// The rule that this case stands for.
    var rule: ContractRule<Subject> { get }
}

extension Contract {
    /// What every store must do, as a sentence.
    public var sentence: String { rule.sentence }

    /// The sentence; it is unique inside a contract.
    public var id: String { rule.sentence }

    /// The sentence, as the name of the test case.
    public var testDescription: String { rule.sentence }

    /// Runs the rule and throws what is wrong.
    ///
    /// - Parameters:
    ///   - settings: What the store declares about itself.
    ///   - make: Makes an empty store that shares nothing with others.
    /// - Throws: ``ContractViolation``, or what `make` threw.
    nonisolated(nonsending) public func verify(
        settings: ContractSettings = .standard,
        _ make: () async throws -> Subject
    ) async throws {
        try await rule.run(settings, make)
    }

    /// Runs the rule and records an issue when it is broken.
    ///
    /// - Parameters:
    ///   - settings: What the store declares about itself.
    ///   - sourceLocation: Where the issue is recorded.
    ///   - make: Makes an empty store that shares nothing with others.
    /// - Throws: What `make` threw. A broken rule is an issue, not a thrown error.
    nonisolated(nonsending) public func check(
        settings: ContractSettings = .standard,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ make: () async throws -> Subject
    ) async throws {
        do {
            try await verify(settings: settings, make)
        } catch let violation as ContractViolation {
            Issue.record(violation, sourceLocation: sourceLocation)
        }
    }

    /// Runs every rule and records an issue for each that is broken.
    ///
    /// - Parameters:
    ///   - settings: What the store declares about itself.
    ///   - sourceLocation: Where the issues are recorded.
    ///   - make: Makes an empty store that shares nothing with others.
    /// - Throws: What `make` threw. A broken rule is an issue, not a thrown error.
    nonisolated(nonsending) public static func checkAll(
        settings: ContractSettings = .standard,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ make: () async throws -> Subject
    ) async throws {
        for rule in allCases { try await rule.check(settings: settings, sourceLocation: sourceLocation, make) }
    }

    /// Runs every rule and gives back those that are broken.
    ///
    /// - Parameters:
    ///   - settings: What the store declares about itself.
    ///   - make: Makes an empty store that shares nothing with others.
    /// - Returns: The violations; none when the store keeps the contract.
    /// - Throws: What `make` threw.
    nonisolated(nonsending) public static func violations(
        settings: ContractSettings = .standard,
        _ make: () async throws -> Subject
    ) async throws -> [ContractViolation] {
        var violations: [ContractViolation] = []
        for rule in allCases {
            do {
                try await rule.verify(settings: settings, make)
            } catch let violation as ContractViolation {
                violations.append(violation)
            }
        }
        return violations
    }
}

/// One rule: a sentence, and the steps that show whether a store keeps it.
public struct ContractRule<Subject: Sendable>: Sendable {
    /// What every store must do, as a sentence.
    public let sentence: String

    let body: Body

    enum Body: Sendable {
        case blocking(stores: Int, @Sendable (RuleContext<Subject>) throws -> Void)
        case suspending(@Sendable (RuleContext<Subject>) async throws -> Void)
    }

    /// Makes a rule that calls the synchronous members; it runs on a thread of its own.
    ///
    /// - Parameters:
    ///   - sentence: What every store must do.
    ///   - stores: How many separate stores the rule needs.
    ///   - body: Throws ``ContractViolation`` when the store does something else.
    public init(
        _ sentence: String,
        stores: Int = 1,
        _ body: @escaping @Sendable (RuleContext<Subject>) throws -> Void
    ) {
        self.sentence = sentence
        self.body = .blocking(stores: stores, body)
    }

    /// Makes a rule that calls the asynchronous members.
    ///
    /// - Parameters:
    ///   - sentence: What every store must do.
    ///   - body: Throws ``ContractViolation`` when the store does something else.
    public init(
        async sentence: String,
        _ body: @escaping @Sendable (RuleContext<Subject>) async throws -> Void
    ) {
        self.sentence = sentence
        self.body = .suspending(body)
    }
}

/// What a rule works with.
public struct RuleContext<Subject: Sendable>: Sendable {
    /// The store under test; it was empty.
    public var store: Subject { stores[0] }

    /// As many separate stores as the rule asked for.
    public let stores: [Subject]

    /// What the store declares about itself.
    public let settings: ContractSettings
}

extension ContractRule {
    nonisolated(nonsending) func run(
        _ settings: ContractSettings,
        _ make: () async throws -> Subject
    ) async throws {
        var stores: [Subject] = []
        if case .blocking(let count, _) = body {
            for _ in 0..<count { stores.append(try await make()) }
        } else {
            stores.append(try await make())
        }
        let context = RuleContext(stores: stores, settings: settings)
        let outcome: Result<Void, any Error>? =
            switch body {
            case .blocking(_, let steps):
                await outcome(within: settings.deadline) { finish in
                    startThread { finish(Result { try steps(context) }) }
                }
            case .suspending(let steps):
                await outcome(within: settings.deadline) { finish in
                    Task.detached {
                        do {
                            finish(.success(try await steps(context)))
                        } catch {
                            finish(.failure(error))
                        }
                    }
                }
            }
        switch outcome {
        case .success: return
        case nil: throw violation("it did not end within \(settings.deadline)")
        case .failure(var violation as ContractViolation):
            violation.rule = sentence
            throw violation
        case .failure(let error): throw violation("it was ended by an unexpected error: \(error)")
        }
    }

    private func violation(_ message: String) -> ContractViolation {
        var violation = ContractViolation(message)
        violation.rule = sentence
        return violation
    }
}

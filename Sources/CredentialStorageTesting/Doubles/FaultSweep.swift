public import CredentialStorage

/// Runs a scenario again and again, failing its first call to the store, then its second, and so on, until it passes
/// untouched; and looks after each run whether what is left is sound.
///
/// Each call is failed as a single failure and from there on, before the base is reached and after it has done its
/// work.
///
/// ```swift
/// try FaultSweep { StorageBuilder.InMemory().build() }.run { storage in
///     try feature.rename("old", to: "new", in: storage)
/// } check: { run, storage in
///     // The new name, the old one, or both; never neither.
///     let names = try storage.keys()
///     #expect(!names.isEmpty, "\(run)")
/// }
/// ```
public struct FaultSweep<Base: Storage>: Sendable {
    /// One run of the scenario.
    public struct Run: Sendable, CustomStringConvertible {
        /// What was made to fail.
        public let failure: StorageFailure
        /// The calls that failed; empty in the last run, which passes untouched.
        public let injected: [StorageCall]
        /// What the scenario threw; `nil` when it went on in spite of the failure, or when there was none.
        public let thrown: (any Error)?

        /// Which call failed and how, without any value.
        public var description: String {
            guard let call = injected.first else { return "no call failed" }
            let moment = failure.moment == .beforeTheBase ? "before the base did it" : "after the base did it"
            let persistence = failure.persistence == .once ? "once" : "from there on"
            return "call \(failure.ordinal), \(call), failed \(persistence), \(moment)"
        }
    }

    private let make: @Sendable () throws -> Base
    private let kind: StorageCall.Kind?
    private let error: StorageError?
    private let moments: [StorageFailure.Moment]
    private let mostCalls: Int

    /// Prepares a sweep.
    ///
    /// - Parameters:
    ///   - kind: The kind of call that fails; `nil` fails calls of every kind in turn.
    ///   - error: The error; `nil` for an input or output error of the right operation.
    ///   - moments: Whether calls fail before the base is reached, after it has done its work, or both in turn.
    ///   - mostCalls: A scenario with more calls than this is taken for endless.
    ///   - make: Makes an empty store for each run.
    public init(
        failing kind: StorageCall.Kind? = nil,
        with error: StorageError? = nil,
        at moments: [StorageFailure.Moment] = StorageFailure.Moment.allCases,
        mostCalls: Int = 10_000,
        over make: @escaping @Sendable () throws -> Base
    ) {
        self.make = make
        self.kind = kind
        self.error = error
        self.moments = moments
        self.mostCalls = mostCalls
    }

    /// Runs the sweep.
    ///
    /// - Parameters:
    ///   - scenario: What is tried; its errors are expected while a call fails.
    ///   - check: Looks at the store itself, where nothing fails.
    /// - Returns: How many runs had a failure in them.
    /// - Throws: What `check` threw, what the untouched scenario threw, or ``ContractViolation`` when the scenario
    ///   does not end.
    @discardableResult
    public func run(
        _ scenario: (FaultInjectingStorage<Base>) throws -> Void,
        check: (Run, Base) throws -> Void
    ) throws -> Int {
        var runs = 0
        for (persistence, moment) in ways {
            for ordinal in 1... {
                let (storage, failure) = try prepare(ordinal, persistence, moment)
                let result = Result { try scenario(storage) }
                let run = try finish(storage, failure, result)
                try check(run, storage.base)
                if run.injected.isEmpty { break }
                runs += 1
            }
        }
        return runs
    }

    /// Runs the sweep over a scenario that is async.
    ///
    /// - Parameters:
    ///   - scenario: What is tried; its errors are expected while a call fails.
    ///   - check: Looks at the store itself, where nothing fails.
    /// - Returns: How many runs had a failure in them.
    /// - Throws: What `check` threw, what the untouched scenario threw, or ``ContractViolation`` when the scenario
    ///   does not end.
    @discardableResult
    nonisolated(nonsending) public func runAsync(
        _ scenario: (FaultInjectingStorage<Base>) async throws -> Void,
        check: (Run, Base) async throws -> Void
    ) async throws -> Int {
        var runs = 0
        for (persistence, moment) in ways {
            for ordinal in 1... {
                let (storage, failure) = try prepare(ordinal, persistence, moment)
                let result: Result<Void, any Error>
                do {
                    result = .success(try await scenario(storage))
                } catch {
                    result = .failure(error)
                }
                let run = try finish(storage, failure, result)
                try await check(run, storage.base)
                if run.injected.isEmpty { break }
                runs += 1
            }
        }
        return runs
    }

    private var ways: [(StorageFailure.Persistence, StorageFailure.Moment)] {
        StorageFailure.Persistence.allCases.flatMap { persistence in moments.map { (persistence, $0) } }
    }

    private func prepare(
        _ ordinal: Int,
        _ persistence: StorageFailure.Persistence,
        _ moment: StorageFailure.Moment
    ) throws -> (FaultInjectingStorage<Base>, StorageFailure) {
        guard ordinal <= mostCalls else { throw ContractViolation("the scenario makes more than \(mostCalls) calls") }
        let storage = FaultInjectingStorage(try make())
        let failure = StorageFailure(kind, at: ordinal, persistence, moment, error: error)
        storage.fail(failure)
        return (storage, failure)
    }

    private func finish(
        _ storage: FaultInjectingStorage<Base>,
        _ failure: StorageFailure,
        _ result: Result<Void, any Error>
    ) throws -> Run {
        storage.stopFailing()
        let injected = storage.injected
        switch result {
        case .success: return Run(failure: failure, injected: injected, thrown: nil)
        case .failure(let error):
            // Without a failure the scenario has to work, or the sweep has shown nothing.
            if injected.isEmpty { throw error }
            return Run(failure: failure, injected: injected, thrown: error)
        }
    }
}

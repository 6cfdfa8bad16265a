/// Measures one operation of a store, and keeps the store's part and the caller's body apart.
struct Meter {
    private let kind: Observation.Kind
    private let entry: String?
    private let operation: StorageOperation
    private let start = ContinuousClock.now
    private var left = Duration.zero
    private var thrownByBody: (any Error)?

    /// How a success is told.
    var outcome = Observation.Outcome.done

    init(_ kind: Observation.Kind, _ entry: String?, _ operation: StorageOperation) {
        self.kind = kind
        self.entry = entry
        self.operation = operation
    }

    /// Runs the caller's body, whose time and error are not the store's.
    mutating func leavingOut<R>(_ body: () throws -> R) throws -> R {
        let begin = ContinuousClock.now
        defer { left += .now - begin }
        do {
            return try body()
        } catch {
            thrownByBody = error
            throw error
        }
    }

    func observation<R>(of result: Result<R, any Error>) -> Observation {
        let duration = .now - start - left
        let outcome: Observation.Outcome =
            switch result {
            case .success: self.outcome
            case .failure where thrownByBody != nil: .abandoned
            case .failure(let error): .failed(.carrying(error, during: operation))
            }
        return Observation(kind: kind, entry: entry, outcome: outcome, duration: duration)
    }

    /// The result; the body's own error passes as it is.
    func returning<R>(_ result: Result<R, any Error>) throws -> R {
        do {
            return try result.get()
        } catch {
            throw thrownByBody ?? StorageError.carrying(error, during: operation)
        }
    }
}

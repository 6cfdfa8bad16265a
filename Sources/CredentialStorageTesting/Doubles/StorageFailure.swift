public import CredentialStorage

/// Which call of a ``FaultInjectingStorage`` fails, and how.
public struct StorageFailure: Sendable {
    /// How long a failure lasts.
    public enum Persistence: Sendable, CaseIterable {
        /// One call fails, later ones work.
        case once
        /// This call and every later one of the kind fails.
        case fromThereOn
    }

    /// Whether the base has done its work when the call fails.
    public enum Moment: Sendable, CaseIterable {
        /// The base is not reached.
        case beforeTheBase
        /// The base has done what was asked, and the caller does not learn it.
        case afterTheBase
    }

    /// The kind of call that is counted; `nil` counts all.
    public var kind: StorageCall.Kind?
    /// Which call fails, counted from 1 since this failure was added.
    public var ordinal: Int
    /// How long the failure lasts.
    public var persistence: Persistence
    /// Whether the base has done its work when the call fails.
    public var moment: Moment
    /// The error; `nil` for an input or output error of the right operation.
    public var error: StorageError?

    /// Describes a failure.
    ///
    /// - Parameters:
    ///   - kind: The kind of call that is counted; `nil` counts all.
    ///   - ordinal: Which call fails, counted from 1 since this failure was added.
    ///   - persistence: How long the failure lasts.
    ///   - moment: Whether the base has done its work when the call fails.
    ///   - error: The error. A bare cause gets the wrapper of the call that fails; `nil` is an input or output error.
    public init(
        _ kind: StorageCall.Kind? = nil,
        at ordinal: Int = 1,
        _ persistence: Persistence = .once,
        _ moment: Moment = .beforeTheBase,
        error: StorageError? = nil
    ) {
        self.kind = kind
        self.ordinal = ordinal
        self.persistence = persistence
        self.moment = moment
        self.error = error
    }

    func applies(toCall number: Int) -> Bool {
        switch persistence {
        case .once: number == ordinal
        case .fromThereOn: number >= ordinal
        }
    }

    func error(for kind: StorageCall.Kind) -> StorageError {
        StorageError.adopting(error ?? StorageFault.unavailable(.ioError), during: kind.operation)
    }
}

extension StorageCall.Kind {
    /// The kind of error that the call throws.
    public var operation: StorageOperation {
        switch self {
        case .get, .withSecret, .readAll, .keys, .acquireLock: .read
        case .set, .setSecret, .compareAndSet, .update: .write
        case .delete, .deleteAll: .delete
        }
    }
}

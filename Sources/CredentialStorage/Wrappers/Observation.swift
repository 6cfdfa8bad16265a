/// One operation of a store, after it ended.
///
/// It never holds a value. Printing it does not show the entry's name; ``entry`` does.
public struct Observation: Sendable {
    /// Which operation it was.
    @nonexhaustive
    public enum Kind: String, Sendable, CaseIterable {
        /// `get(_:)`.
        case get
        /// `set(_:forKey:)`.
        case set
        /// `delete(_:)`.
        case delete
        /// `readAll()`.
        case readAll
        /// `keys()`.
        case keys
        /// `withSecret(forKey:_:)`.
        case withSecret
        /// `setSecret(_:forKey:)`.
        case setSecret
        /// `deleteAll()`.
        case deleteAll
        /// `compareAndSet(_:expected:new:)`.
        case compareAndSet
        /// `acquireLock(_:timeout:)`.
        case acquireLock
        /// `update(_:)`.
        case update
        /// `protection`.
        case protection
        /// `probe()`.
        case probe
        /// `waitUntilAvailable()`.
        case waitUntilAvailable
        /// `close()`.
        case close
    }

    /// How it ended.
    @nonexhaustive
    public enum Outcome: Sendable, Equatable {
        /// It did what was asked.
        case done
        /// The entry was proven absent.
        case absent
        /// Another value was there than the one that was expected; nothing changed.
        case mismatch
        /// The caller's own body threw, and that ended the operation; a transaction changed nothing.
        case abandoned
        /// The store answered with an error.
        case failed(StorageError)
    }

    /// Which operation it was.
    public let kind: Kind
    /// The name of the entry or of the lock, if the operation was about one.
    public let entry: String?
    /// How it ended.
    public let outcome: Outcome
    /// How long the store took; the time of the caller's own body is not in it.
    public let duration: Duration
}

extension Observation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Kind, outcome and duration; the name is in ``entry``.
    public var description: String { "Observation(\(kind.rawValue), \(outcome), \(duration))" }
    /// Kind, outcome and duration; the name is in ``entry``.
    public var debugDescription: String { description }
    /// Kind, outcome and duration only.
    public var customMirror: Mirror {
        Mirror(self, children: ["kind": kind, "outcome": outcome, "duration": duration])
    }
}

extension Observation.Outcome: CustomStringConvertible {
    /// The name of the case, and the error's own description.
    public var description: String {
        switch self {
        case .done: "done"
        case .absent: "absent"
        case .mismatch: "mismatch"
        case .abandoned: "abandoned"
        case .failed(let error): "failed(\(error))"
        }
    }
}

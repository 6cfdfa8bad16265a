public import CredentialStorage

/// Fails the calls that a test chooses and passes the others to its base.
///
/// ```swift
/// let storage = FaultInjectingStorage(StorageBuilder.InMemory().build())
/// storage.fail(StorageFailure(.set, at: 2, error: .conflict))
/// ```
///
/// The second `set` from then on throws `writeError(conflict)`. See ``FaultSweep`` to fail every call in turn.
public struct FaultInjectingStorage<Base: Storage>: InterceptingStorage {
    /// The store that does the work.
    public let base: Base

    private struct State {
        var failures: [(failure: StorageFailure, seen: Int)] = []
        var calls = 0
        var injected: [StorageCall] = []
    }

    private let state = Locked(State())

    /// Wraps a store; nothing fails yet, and copies share the failures.
    ///
    /// - Parameter base: The store that does the work.
    public init(_ base: Base) { self.base = base }

    /// Adds a failure; its calls are counted from now on.
    ///
    /// - Parameter failure: Which call fails, and how.
    public func fail(_ failure: StorageFailure) { state.withLock { $0.failures.append((failure, 0)) } }

    /// Lets every call through again.
    public func stopFailing() { state.withLock { $0.failures = [] } }

    /// How many calls came so far, those that failed included.
    public var callCount: Int { state.withLock { $0.calls } }

    /// The calls that were made to fail, in order.
    public var injected: [StorageCall] { state.withLock { $0.injected } }

    /// Fails the call if it is its turn.
    public func intercept<R>(_ call: StorageCall, _ body: () throws -> R) throws -> R {
        let failure = state.withLock { state in
            state.calls += 1
            var first: StorageFailure?
            for index in state.failures.indices {
                let failure = state.failures[index].failure
                guard failure.kind == nil || failure.kind == call.kind else { continue }
                state.failures[index].seen += 1
                if first == nil, failure.applies(toCall: state.failures[index].seen) { first = failure }
            }
            if first != nil { state.injected.append(call) }
            return first
        }
        guard let failure else { return try body() }
        if failure.moment == .afterTheBase { _ = try body() }
        throw failure.error(for: call.kind)
    }
}

extension FaultInjectingStorage: AtomicStorage where Base: AtomicStorage {}
extension FaultInjectingStorage: TransactionalStorage where Base: TransactionalStorage {}
extension FaultInjectingStorage: InspectableStorage where Base: InspectableStorage {}

/// Carries the cancellation of a task to a store that waits on another thread.
///
/// The async forms of ``Storage`` bind one while they run the synchronous form. A store of your own that waits asks
/// ``current`` whether to go on, or registers a handler that wakes it.
public final class StorageCancellation: Sendable {
    /// The cancellation that applies to the present call, if it came from async code.
    @TaskLocal public static var current: StorageCancellation?

    private struct State {
        var isCancelled = false
        var nextID = 0
        var handlers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Locked(State())

    init() {}

    /// Whether the task was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// A handler that stays registered until ``cancel()``.
    public struct Registration: Sendable {
        fileprivate let owner: StorageCancellation
        fileprivate let id: Int

        /// Takes the handler back.
        ///
        /// It may be running at this moment on another thread.
        public func cancel() { owner.state.withLock { _ = $0.handlers.removeValue(forKey: id) } }
    }

    /// Registers a handler that runs once, when the task is cancelled; at once if it already is.
    ///
    /// - Parameter handler: Wakes the waiting call. It runs on the cancelling thread.
    /// - Returns: The registration, to be taken back when the wait is over.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Registration {
        let (id, runNow) = state.withLock { state in
            state.nextID += 1
            if !state.isCancelled { state.handlers[state.nextID] = handler }
            return (state.nextID, state.isCancelled)
        }
        if runNow { handler() }
        return Registration(owner: self, id: id)
    }

    func cancel() {
        let handlers = state.withLock { state in
            state.isCancelled = true
            defer { state.handlers.removeAll() }
            return Array(state.handlers.values)
        }
        for handler in handlers { handler() }
    }

    package static func check() throws(StorageFault) {
        if let current, current.isCancelled { throw .unavailable(.cancelled) }
    }
}

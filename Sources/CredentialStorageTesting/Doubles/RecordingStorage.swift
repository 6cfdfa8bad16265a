public import CredentialStorage

/// Records which calls reach its base, in order, by kind and name; never a value.
///
/// ```swift
/// let storage = RecordingStorage(StorageBuilder.InMemory().build())
/// try feature(storage)
/// #expect(storage.calls == [StorageCall(.get, "token"), StorageCall(.set, "token")])
/// ```
public struct RecordingStorage<Base: Storage>: InterceptingStorage {
    /// The store that does the work.
    public let base: Base

    private let recorded = Locked<[StorageCall]>([])

    /// Wraps a store; copies record into the same list.
    ///
    /// - Parameter base: The store that does the work.
    public init(_ base: Base) { self.base = base }

    /// The calls so far, in the order in which they began.
    public var calls: [StorageCall] { recorded.withLock { $0 } }

    /// Forgets the calls so far.
    public func removeAllCalls() { recorded.withLock { $0 = [] } }

    /// Records the call and lets it through.
    public func intercept<R>(_ call: StorageCall, _ body: () throws -> R) throws -> R {
        recorded.withLock { $0.append(call) }
        return try body()
    }
}

extension RecordingStorage: AtomicStorage where Base: AtomicStorage {}
extension RecordingStorage: TransactionalStorage where Base: TransactionalStorage {}
extension RecordingStorage: InspectableStorage where Base: InspectableStorage {}

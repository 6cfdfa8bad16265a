public import FoundationEssentials

/// A store that tells an observer about each operation after it ended.
///
/// ```swift
/// let storage = base.observed { metrics.record($0.kind.rawValue, $0.duration) }
/// ```
///
/// The async forms come through here too. The observer runs on the thread that did the work, holding no lock of the
/// store; it may use the store, and should be quick. Operations inside a transaction are not told one by one.
///
/// It is atomic, transactional and inspectable exactly where its base is. For an `any Storage` there is
/// ``StorageBuilder/observed(over:_:)``.
public struct ObservedStorage<Base: Storage>: Storage {
    let base: Base
    let observer: @Sendable (Observation) -> Void

    init(_ base: Base, observer: @escaping @Sendable (Observation) -> Void) {
        self.base = base
        self.observer = observer
    }

    /// Where the base reports omissions and warnings.
    public var log: StorageLog { base.log }

    /// Reads one entry.
    public func get(_ key: String) throws(StorageError) -> Data? {
        try observing(.get, key, .read, outcome: { $0 == nil ? .absent : .done }) { try base.get(key) }
    }

    /// Inserts or replaces one entry.
    public func set(_ value: Data, forKey key: String) throws(StorageError) {
        try observing(.set, key, .write) { try base.set(value, forKey: key) }
    }

    /// Removes one entry.
    @discardableResult
    public func delete(_ key: String) throws(StorageError) -> Bool {
        try observing(.delete, key, .delete, outcome: { $0 ? .done : .absent }) { try base.delete(key) }
    }

    /// Reads everything.
    public func readAll() throws(StorageError) -> BulkRead {
        try observing(.readAll, nil, .read) { try base.readAll() }
    }

    /// Lists the names.
    public func keys() throws(StorageError) -> [String] {
        try observing(.keys, nil, .read) { try base.keys() }
    }

    /// Reads one entry in locked memory, as the base does it.
    public func withSecret<R>(forKey key: String, _ body: (Span<UInt8>?) throws -> R) throws -> R {
        var meter = Meter(.withSecret, key, .read)
        let result = Result {
            try base.withSecret(forKey: key) { bytes in
                if bytes == nil { meter.outcome = .absent }
                return try meter.leavingOut { try body(bytes) }
            }
        }
        observer(meter.observation(of: result))
        return try meter.returning(result)
    }

    /// Inserts or replaces one entry, as the base does it.
    public func setSecret(_ bytes: Span<UInt8>, forKey key: String) throws(StorageError) {
        let meter = Meter(.setSecret, key, .write)
        let result: Result<Void, any Error>
        do {
            result = .success(try base.setSecret(bytes, forKey: key))
        } catch {
            result = .failure(error)
        }
        observer(meter.observation(of: result))
        if case .failure(let error) = result { throw StorageError.carrying(error, during: .write) }
    }

    /// Removes every entry.
    public func deleteAll() throws(StorageError) {
        try observing(.deleteAll, nil, .delete) { try base.deleteAll() }
    }

    func observing<R>(
        _ kind: Observation.Kind,
        _ entry: String?,
        _ operation: StorageOperation,
        outcome: (R) -> Observation.Outcome = { _ in .done },
        _ body: () throws -> R
    ) throws(StorageError) -> R {
        var meter = Meter(kind, entry, operation)
        let result = Result(catching: body)
        if case .success(let value) = result { meter.outcome = outcome(value) }
        observer(meter.observation(of: result))
        do {
            return try result.get()
        } catch {
            throw StorageError.carrying(error, during: operation)
        }
    }
}

extension ObservedStorage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "ObservedStorage(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

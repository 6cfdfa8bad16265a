public import CredentialStorage
public import FoundationEssentials
internal import Testing

/// Answers its calls from a script, in order, and keeps nothing.
///
/// ```swift
/// let storage = ScriptedStorage([
///     .failure(.get, "token", throws: .unavailable(operation: .read, category: .locked, code: .none)),
///     .get("token", returns: Data("value".utf8)),
/// ])
/// ```
///
/// A call that is not the next of the script, or that comes after its end, throws ``ScriptMismatch`` and records
/// an issue, so that it is noticed even where the error is swallowed. It conforms to ``AtomicStorage``;
/// `withSecret` counts as `get` and `setSecret` as `set`.
public struct ScriptedStorage: AtomicStorage {
    /// A call that the script has no answer for.
    public struct ScriptMismatch: Error, Equatable, CustomStringConvertible {
        /// What was called.
        public let call: StorageCall
        /// What the script expected; `nil` when it was at its end.
        public let expected: StorageCall?

        /// Makes a mismatch.
        ///
        /// - Parameters:
        ///   - call: What was called.
        ///   - expected: What the script expected; `nil` when it was at its end.
        public init(call: StorageCall, expected: StorageCall?) {
            self.call = call
            self.expected = expected
        }

        /// What was called and what was expected.
        public var description: String {
            guard let expected else { return "\(call) was called after the end of the script" }
            return "\(call) was called, and the script expected \(expected)"
        }
    }

    private let script: Locked<ArraySlice<ScriptedAnswer>>

    /// Takes a script; copies of the store share it.
    ///
    /// - Parameter answers: The calls that will come, in order, and what each gets.
    public init(_ answers: [ScriptedAnswer]) { script = Locked(answers[...]) }

    /// How many answers are left; a test that is over expects none.
    public var remaining: Int { script.withLock { $0.count } }

    /// Answers a scripted `get`.
    public func get(_ key: String) throws -> Data? {
        guard case .value(let value) = try next(.get, key) else { return nil }
        return value
    }

    /// Answers a scripted `set`.
    public func set(_ value: Data, forKey key: String) throws { _ = try next(.set, key) }

    /// Answers a scripted `delete`.
    @discardableResult
    public func delete(_ key: String) throws -> Bool { try flag(.delete, key) }

    /// Answers a scripted `readAll`.
    public func readAll() throws -> BulkRead {
        guard case .bulk(let bulk) = try next(.readAll, nil) else { return BulkRead(entries: []) }
        return bulk
    }

    /// Answers a scripted `keys`.
    public func keys() throws -> [String] {
        guard case .names(let names) = try next(.keys, nil) else { return [] }
        return names
    }

    /// Answers a scripted `deleteAll`.
    public func deleteAll() throws { _ = try next(.deleteAll, nil) }

    /// Answers a scripted `compareAndSet`.
    public func compareAndSet(_ key: String, expected: Data?, new: Data?) throws -> Bool {
        try flag(.compareAndSet, key)
    }

    /// Answers a scripted `acquireLock`; the lock excludes nobody.
    public func acquireLock(_ name: String, timeout: Duration) throws -> StorageLock {
        _ = try next(.acquireLock, name)
        return StorageLock {}
    }

    private func flag(_ kind: StorageCall.Kind, _ name: String) throws -> Bool {
        if case .flag(true) = try next(kind, name) { true } else { false }
    }

    private func next(_ kind: StorageCall.Kind, _ name: String?) throws -> ScriptedAnswer.Result {
        let call = StorageCall(kind, name)
        let answer = script.withLock { $0.popFirst() }
        guard let answer, answer.kind == kind,
            answer.name == nil || StorageCall(kind, answer.name) == call
        else {
            let mismatch = ScriptMismatch(call: call, expected: answer.map { StorageCall($0.kind, $0.name) })
            Issue.record(mismatch)
            throw mismatch
        }
        if case .failure(let error) = answer.result {
            throw StorageError.adopting(error, during: kind.operation)
        }
        return answer.result
    }
}

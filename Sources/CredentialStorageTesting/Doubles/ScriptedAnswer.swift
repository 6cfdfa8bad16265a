public import CredentialStorage
public import FoundationEssentials

/// One step of a ``ScriptedStorage``: which call comes next, and what it gets.
public struct ScriptedAnswer: Sendable {
    enum Result: Sendable {
        case value(Data?)
        case flag(Bool)
        case bulk(BulkRead)
        case names([String])
        case done
        case failure(StorageError)
    }

    let kind: StorageCall.Kind
    let name: String?
    let result: Result

    /// A `get` or `withSecret` that finds a value, or `nil` for an absent entry.
    ///
    /// - Parameters:
    ///   - name: The name that must be asked for; `nil` for any.
    ///   - value: The value.
    /// - Returns: The step.
    public static func get(_ name: String? = nil, returns value: Data?) -> ScriptedAnswer {
        ScriptedAnswer(kind: .get, name: name, result: .value(value))
    }

    /// A `set` or `setSecret` that succeeds.
    ///
    /// - Parameter name: The name that must be set; `nil` for any.
    /// - Returns: The step.
    public static func set(_ name: String? = nil) -> ScriptedAnswer {
        ScriptedAnswer(kind: .set, name: name, result: .done)
    }

    /// A `delete` that succeeds.
    ///
    /// - Parameters:
    ///   - name: The name that must be deleted; `nil` for any.
    ///   - wasThere: What it answers.
    /// - Returns: The step.
    public static func delete(_ name: String? = nil, returns wasThere: Bool) -> ScriptedAnswer {
        ScriptedAnswer(kind: .delete, name: name, result: .flag(wasThere))
    }

    /// A `readAll`, or what is built on it, that succeeds.
    ///
    /// - Parameter bulk: What it answers, omissions included.
    /// - Returns: The step.
    public static func readAll(returns bulk: BulkRead) -> ScriptedAnswer {
        ScriptedAnswer(kind: .readAll, name: nil, result: .bulk(bulk))
    }

    /// A `keys` that succeeds.
    ///
    /// - Parameter names: What it answers.
    /// - Returns: The step.
    public static func keys(returns names: [String]) -> ScriptedAnswer {
        ScriptedAnswer(kind: .keys, name: nil, result: .names(names))
    }

    /// A `deleteAll` that succeeds.
    public static let deleteAll = ScriptedAnswer(kind: .deleteAll, name: nil, result: .done)

    /// A `compareAndSet` that does not fail.
    ///
    /// - Parameters:
    ///   - name: The name that must be changed; `nil` for any.
    ///   - matched: What it answers.
    /// - Returns: The step.
    public static func compareAndSet(_ name: String? = nil, returns matched: Bool) -> ScriptedAnswer {
        ScriptedAnswer(kind: .compareAndSet, name: name, result: .flag(matched))
    }

    /// An `acquireLock` that gets the lock.
    ///
    /// - Parameter name: The lock that must be taken; `nil` for any.
    /// - Returns: The step.
    public static func acquireLock(_ name: String? = nil) -> ScriptedAnswer {
        ScriptedAnswer(kind: .acquireLock, name: name, result: .done)
    }

    /// A call that fails.
    ///
    /// - Parameters:
    ///   - kind: Which member is called.
    ///   - name: The name that it must be about; `nil` for any.
    ///   - error: The error. A bare cause gets the wrapper of the call.
    /// - Returns: The step.
    public static func failure(
        _ kind: StorageCall.Kind,
        _ name: String? = nil,
        throws error: StorageError
    ) -> ScriptedAnswer {
        ScriptedAnswer(kind: kind.scripted, name: name, result: .failure(error))
    }
}

extension StorageCall.Kind {
    /// A script does not tell apart the forms with and without a `Data`.
    var scripted: StorageCall.Kind {
        switch self {
        case .withSecret: .get
        case .setSecret: .set
        default: self
        }
    }
}

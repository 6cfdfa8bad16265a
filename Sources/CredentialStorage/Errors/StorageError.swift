public import FoundationEssentials

/// What a store answers when it cannot do what was asked.
///
/// Every error that a store of this package throws is exactly one of the three wrappers ``readError(cause:)``,
/// ``writeError(cause:)`` and ``deleteError(cause:)`` around exactly one cause; a cause is never a wrapper.
/// Reading, listing, probing and locking count as reading; setting, comparing and setting, batches and key
/// changes as writing. ``cause`` and ``category`` give the inside without a pattern.
///
/// A value of this type holds cases, categories and integers only: no entry name, no value, no path and no
/// text of a peer. It is safe to log and to show.
@nonexhaustive
public indirect enum StorageError: Error, Sendable, Equatable {
    /// Reading, listing, probing or locking failed.
    case readError(cause: StorageError)
    /// Setting, comparing and setting, a batch or a key change failed; nothing changed unless the cause says
    /// ``UnavailableCategory/notConfirmed``.
    case writeError(cause: StorageError)
    /// Deleting failed.
    case deleteError(cause: StorageError)

    /// The store could not be reached or used. This says nothing about whether an entry exists.
    case unavailable(operation: StorageOperation, category: UnavailableCategory, code: StatusCode)
    /// The entry exists, or may exist, and cannot be read.
    case undecryptable(UndecryptableReason)

    /// The key source was read, and it is not the one that this store was made with.
    case wrongKey
    /// The store as a whole is damaged: nothing in it can be opened.
    case damaged
    /// What stands at the store's place is not a store.
    case notAStore
    /// The store was written by a newer version; the number is the version that was found.
    case unsupportedVersion(Int)
    /// The store demands key derivation work outside the accepted limits.
    case parametersOutOfRange

    /// The entry name is empty, holds NUL, or is longer than 1 024 bytes of UTF-8.
    case invalidEntryKey
    /// The service or group name is not 1 to 128 of `A-Z a-z 0-9 . _ -`, or begins with a dot or dash.
    case invalidService
    /// The value is larger than the limit, in bytes.
    case valueTooLarge(limit: Int)
    /// More than one entry answers to the name.
    case ambiguous
    /// Something else already stands, or already changed, where this request assumed otherwise.
    case conflict
    /// The last key slot cannot be removed.
    case lastKeySlot
    /// The provider cannot hold this value unchanged.
    case providerCannotHold
    /// This store cannot do that at all.
    case unsupported
}

extension StorageError {
    /// The cause inside a wrapper, or the error itself when it is a cause.
    ///
    /// It is never a wrapper, not even where a store of somebody else put one wrapper into another.
    public var cause: StorageError {
        switch self {
        case .readError(let inner), .writeError(let inner), .deleteError(let inner): inner.cause
        default: self
        }
    }

    /// Why the store could not be reached, or `nil` when the cause is of another kind.
    public var category: UnavailableCategory? {
        guard case .unavailable(_, let category, _) = cause else { return nil }
        return category
    }

    /// The system's own number for the failure, or `nil` when the cause carries none.
    public var code: StatusCode? {
        guard case .unavailable(_, _, let code) = cause, code != .none else { return nil }
        return code
    }
}

extension StorageError: LocalizedError {
    /// One sentence that is safe to show: what happened, without any name, value or path.
    public var errorDescription: String? { ErrorTable.row(for: self).sentence }

    /// One sentence that says what to do next.
    public var recoverySuggestion: String? { ErrorTable.row(for: self).remedy }
}

extension StorageError: CustomStringConvertible {
    /// The case names and numbers of the error, for a log.
    public var description: String {
        switch self {
        case .readError(let cause): "readError(\(cause))"
        case .writeError(let cause): "writeError(\(cause))"
        case .deleteError(let cause): "deleteError(\(cause))"
        case .unavailable(let operation, let category, let code):
            code == .none
                ? "unavailable(\(operation.rawValue), \(category.rawValue))"
                : "unavailable(\(operation.rawValue), \(category.rawValue), \(code))"
        case .undecryptable(let reason): "undecryptable(\(reason.rawValue))"
        case .unsupportedVersion(let version): "unsupportedVersion(\(version))"
        case .valueTooLarge(let limit): "valueTooLarge(limit: \(limit))"
        default: ErrorTable.row(for: self).name
        }
    }
}

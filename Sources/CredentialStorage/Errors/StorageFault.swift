internal import Glibc

/// A cause that does not know its operation yet: what the inside of a store throws.
///
/// The public door of a store turns it into a ``StorageError`` with ``during(_:)``; that is the only place where
/// a wrapper is made, so a wrapper can never hold a wrapper.
package enum StorageFault: Error, Sendable, Equatable {
    case unavailable(UnavailableCategory, StatusCode)
    case cause(StorageError)

    package static func unavailable(_ category: UnavailableCategory) -> StorageFault { .unavailable(category, .none) }
    package static let wrongKey = StorageFault.cause(.wrongKey)
    package static let damaged = StorageFault.cause(.damaged)
    package static let notAStore = StorageFault.cause(.notAStore)
    package static let conflict = StorageFault.cause(.conflict)
    package static let noMemory = StorageFault.unavailable(.ioError, .errno(ENOMEM))
    package static let unsupported = StorageFault.cause(.unsupported)
    package static let invalidEntryKey = StorageFault.cause(.invalidEntryKey)
    package static func undecryptable(_ reason: UndecryptableReason) -> StorageFault { .cause(.undecryptable(reason)) }

    /// What a failed system call means where no caller knows better.
    package static func system(_ number: Int32) -> StorageFault {
        let category: UnavailableCategory =
            switch number {
            case ENOSPC, EDQUOT, EFBIG: .noSpace
            case EROFS: .readOnly
            case EACCES, EPERM: .accessDenied
            case ELOOP: .insecurePermissions
            default: .ioError
            }
        return .unavailable(category, .errno(number))
    }

    /// The same fault as a public error of one operation.
    package func during(_ operation: StorageOperation) -> StorageError {
        let cause: StorageError =
            switch self {
            case .unavailable(let category, let code):
                .unavailable(operation: operation, category: category, code: code)
            case .cause(let cause): cause
            }
        return switch operation {
        case .read: .readError(cause: cause)
        case .write: .writeError(cause: cause)
        case .delete: .deleteError(cause: cause)
        }
    }
}

/// Runs the inside of one operation and gives its faults their operation.
package func performing<R: ~Copyable>(
    _ operation: StorageOperation,
    _ body: () throws(StorageFault) -> R
) throws(StorageError) -> R {
    do {
        return try body()
    } catch {
        throw error.during(operation)
    }
}

extension StorageError {
    /// Makes any error one of ours: a wrapper stays as it is, a bare cause is wrapped, a foreign error loses its text.
    package static func adopting(_ error: any Error, during operation: StorageOperation) -> StorageError {
        switch error {
        case let own as StorageError where own != own.cause: own
        default: StorageFault.adopting(error).during(operation)
        }
    }
}

extension StorageFault {
    /// The inside of a public error, for a fault that came through a public door.
    package static func adopting(_ error: any Error) -> StorageFault {
        switch error {
        case let fault as StorageFault: fault
        case let error as StorageError:
            switch error.cause {
            case .unavailable(_, let category, let code): .unavailable(category, code)
            case let cause: .cause(cause)
            }
        case is CancellationError: .unavailable(.cancelled)
        default: .unavailable(.foreign)
        }
    }
}

#if SecretService
    import CredentialStorage
    import Foundation
    import Testing

    /// What one operation of a store came to, in a form that tables can hold and tests can compare.
    enum Answer: Equatable, CustomStringConvertible {
        /// The value of `get`, `nil` for a proven absence.
        case value(String?)
        /// The result of `delete`.
        case deleted(Bool)
        /// What `readAll` gave: the names that open, and those that do not.
        case read([String], omitted: [String: UndecryptableReason], lost: Int)
        case done
        /// An error of the right wrapper around this category.
        case unavailable(UnavailableCategory)
        /// An error of the right wrapper around this cause.
        case refused(StorageError)
        /// An error that no store of ours may throw.
        case wrong(String)

        var description: String {
            switch self {
            case .value(let value): "value(\(value ?? "nil"))"
            case .deleted(let deleted): "deleted(\(deleted))"
            case .read(let names, let omitted, let lost): "read(\(names), omitted: \(omitted), lost: \(lost))"
            case .done: "done"
            case .unavailable(let category): category.rawValue
            case .refused(let cause): "\(cause)"
            case .wrong(let what): "wrong: \(what)"
            }
        }

        /// Carries something out; it is `done` when it throws nothing.
        init(of operation: StorageOperation, within limit: Duration, _ body: @escaping @Sendable () throws -> Void) {
            do {
                try CredentialStorageSecretServiceTests.within(limit, body)
                self = .done
            } catch {
                self.init(error, during: operation)
            }
        }

        /// Judges an error, its wrapper included.
        init(_ error: any Error, during operation: StorageOperation) {
            guard let error = error as? StorageError else {
                self = .wrong("a foreign error: \(type(of: error))")
                return
            }
            let isRightWrapper =
                switch (operation, error) {
                case (.read, .readError), (.write, .writeError), (.delete, .deleteError): true
                default: false
                }
            if !isRightWrapper {
                self = .wrong("the wrapper of \(error)")
            } else if case .unavailable(let inner, let category, _) = error.cause {
                self = inner == operation ? .unavailable(category) : .wrong("the operation in \(error)")
            } else {
                self = .refused(error.cause)
            }
        }
    }

    /// The operations that every behaviour is tried with.
    enum Operation: String, CaseIterable {
        case get, getAbsent, set, replace, delete, readAll

        var kind: StorageOperation {
            switch self {
            case .get, .getAbsent, .readAll: .read
            case .set, .replace: .write
            case .delete: .delete
            }
        }

        /// What it comes to where nothing is in the way.
        var fine: Answer {
            switch self {
            case .get: .value("value")
            case .getAbsent: .value(nil)
            case .set, .replace: .done
            case .delete: .deleted(true)
            case .readAll: .read(["present"], omitted: [:], lost: 0)
            }
        }

        /// Carries it out on a store that holds "value" under "present".
        func run(_ store: some Storage) -> Answer {
            do {
                switch self {
                case .get: return .value(try store.string(forKey: "present"))
                case .getAbsent: return .value(try store.string(forKey: "absent"))
                case .set:
                    try store.set("another", forKey: "fresh")
                    return .done
                case .replace:
                    try store.set("another", forKey: "present")
                    return .done
                case .delete: return .deleted(try store.delete("present"))
                case .readAll:
                    let bulk = try store.readAll()
                    var omitted: [String: UndecryptableReason] = [:]
                    for omission in bulk.omitted { omitted[omission.key ?? ""] = omission.reason }
                    return .read(bulk.entries.map(\.key), omitted: omitted, lost: bulk.lost)
                }
            } catch {
                return Answer(error, during: kind)
            }
        }
    }
#endif

/// One row for each cause: its stable name, what happened, what to do, and the exit code of `credstore`.
///
/// The command line, `--json`, the man page and the README's troubleshooting are all made from these rows.
package struct ErrorRow: Sendable {
    package let name: String
    /// The cause as Swift writes it and documents show it, the category or reason in parentheses.
    package let notation: String
    package let sentence: String
    package let remedy: String
    package let exitCode: Int32

    init(_ name: String, notation: String? = nil, exit exitCode: Int32, _ sentence: String, _ remedy: String) {
        self.name = name
        self.notation = notation ?? name
        self.sentence = sentence
        self.remedy = remedy
        self.exitCode = exitCode
    }
}

/// The one error table.
package enum ErrorTable {
    package static func row(for error: StorageError) -> ErrorRow {
        switch error.cause {
        case .unavailable(_, let category, _): row(for: category)
        case .undecryptable(let reason): row(for: reason)
        case .wrongKey: wrongKey
        case .damaged: damaged
        case .notAStore: notAStore
        case .unsupportedVersion: unsupportedVersion
        case .parametersOutOfRange: parametersOutOfRange
        case .invalidEntryKey: invalidEntryKey
        case .invalidService: invalidService
        case .valueTooLarge: valueTooLarge
        case .ambiguous: ambiguous
        case .conflict: conflict
        case .lastKeySlot: lastKeySlot
        case .providerCannotHold: providerCannotHold
        case .unsupported: unsupported
        case .readError, .writeError, .deleteError: preconditionFailure("a cause is never a wrapper")
        }
    }

    /// Every row, in the order of the exit codes, for the documents that are made from the table.
    package static let all: [ErrorRow] = {
        let causes = [
            wrongKey, damaged, notAStore, unsupportedVersion, parametersOutOfRange, invalidEntryKey, invalidService,
            valueTooLarge, ambiguous, conflict, lastKeySlot, providerCannotHold, unsupported,
        ]
        let rows = causes + UndecryptableReason.allCases.map(row(for:)) + UnavailableCategory.allCases.map(row(for:))
        return rows.sorted { ($0.exitCode, $0.name) < ($1.exitCode, $1.name) }
    }()

    private static let wrongKey = ErrorRow(
        "wrongKey", exit: 8,
        "The key or passphrase is not the one that this store was made with.",
        "Check which key file or passphrase was given; nothing was changed.")
    private static let damaged = ErrorRow(
        "damaged", exit: 7,
        "The store is damaged, as a whole or in a part that this needs.",
        "Run verify to see where and repair to keep what opens, or restore the file from a backup; nothing was deleted."
    )
    private static let notAStore = ErrorRow(
        "notAStore", exit: 7,
        "What stands at the store's place is not a credential store.",
        "Check the path, or move the other file away; nothing was changed.")
    private static let unsupportedVersion = ErrorRow(
        "unsupportedVersion", exit: 7,
        "The store was written by a newer version of this software.",
        "Update this software and try again.")
    private static let parametersOutOfRange = ErrorRow(
        "parametersOutOfRange", exit: 7,
        "The store demands key derivation work outside the accepted limits.",
        "If the store is trusted, raise the limits; otherwise do not open it.")
    private static let invalidEntryKey = ErrorRow(
        "invalidEntryKey", exit: 2,
        "The entry name is empty, contains NUL, is not UTF-8, or is longer than 1024 bytes.",
        "Choose another entry name.")
    private static let invalidService = ErrorRow(
        "invalidService", exit: 2,
        "The service or group name is not valid.",
        "Use 1 to 128 of the characters A-Z a-z 0-9 . _ - and begin with a letter, digit or underscore.")
    private static let valueTooLarge = ErrorRow(
        "valueTooLarge", exit: 2,
        "The value is larger than the limit.",
        "Store large data elsewhere and keep its key here.")
    private static let ambiguous = ErrorRow(
        "ambiguous", exit: 10,
        "More than one entry or collection answers to the name.",
        "Remove or rename the others, or use a form that compares names byte for byte; nothing was changed.")
    private static let conflict = ErrorRow(
        "conflict", exit: 10,
        "Something already stands, was changed meanwhile, or is in an update that this call stands inside.",
        "Look at the present state and decide again, and inside an update work through its batch; nothing was changed.")
    private static let lastKeySlot = ErrorRow(
        "lastKeySlot", exit: 10,
        "The last key slot cannot be removed.",
        "Add another key first.")
    private static let providerCannotHold = ErrorRow(
        "providerCannotHold", exit: 5,
        "The provider cannot hold this value unchanged.",
        "Use the file backend for this value.")
    private static let unsupported = ErrorRow(
        "unsupported", exit: 2,
        "This store cannot do that.",
        "Choose a backend that can; the documentation lists what each one does.")

    private static func row(for reason: UndecryptableReason) -> ErrorRow {
        let (sentence, remedy) =
            switch reason {
            case .damaged:
                (
                    "An entry is damaged and cannot be read.",
                    "Set the entry again, or restore it from a backup; verify shows where a vault is damaged."
                )
            case .wrongKey:
                (
                    "An entry was sealed under another key.",
                    "Open it with the key that it was written with."
                )
            case .keyLost:
                (
                    "The key that an entry was sealed under no longer exists.",
                    "Restore the key, or set the entry again."
                )
            case .formatTooNew:
                (
                    "An entry was written by a newer version of this software.",
                    "Update this software and try again."
                )
            case .locked:
                (
                    "An entry is locked.",
                    "Unlock it and try again."
                )
            case .ambiguous:
                (
                    "More than one item answers to the name of an entry.",
                    "Remove the others, after a look at each; none of them was chosen."
                )
            case .notText:
                (
                    "The value is not text.",
                    "Read it as bytes; it is not damaged."
                )
            }
        let exitCode: Int32 =
            switch reason {
            case .locked: 4
            case .ambiguous: 10
            default: 7
            }
        return ErrorRow("undecryptable(\(reason.rawValue))", exit: exitCode, sentence, remedy)
    }
}

/// The rows for what happens to a command line and not to a store.
extension ErrorTable {
    package static let usage = ErrorRow(
        "usage", exit: 2,
        "The command line is not valid.",
        "Run \"credstore help\" to see what it takes.")
    package static let absent = ErrorRow(
        "absent", exit: 3,
        "There is no such entry or store.",
        "Run \"credstore list\" to see the names that are there.")
    package static let incomplete = ErrorRow(
        "incomplete", exit: 12,
        "Part of the store is damaged or cannot be read; the output names what is missing.",
        "Set those entries again, or restore them from a backup.")
    package static let inputFailed = ErrorRow(
        "inputFailed", exit: 5,
        "Standard input cannot be read.",
        "Give the value on standard input; nothing was changed.")
    package static let outputFull = ErrorRow(
        "outputFull", exit: 11,
        "There is no space left for the output.",
        "Free some space, or send the output elsewhere, and try again.")
    package static let outputFailed = ErrorRow(
        "outputFailed", exit: 5,
        "Standard output is closed or cannot be written.",
        "Send the output to a place that can be written, and try again.")
    package static let internalError = ErrorRow(
        "internalError", exit: 70,
        "Something happened that should not be possible.",
        "Report it, with the command that was run and without any secret.")

    /// The rows of the command line, in the order of their exit codes.
    package static let tool = [usage, absent, inputFailed, outputFailed, outputFull, incomplete, internalError]
}

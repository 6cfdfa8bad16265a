/// What `help` prints, made from the tables.
package enum HelpText {
    package static var general: String {
        """
        usage: credstore [OPTION ...] COMMAND [NAME]

        Keeps small secrets in an encrypted file or in the desktop's keyring.

        commands:
        \(table(Command.all.map { ($0.synopsis, $0.summary) }))

        options, before or after the command; -- ends them:
        \(table(OptionRow.all.map { ($0.synopsis, $0.help) }))

        exit codes:
        \(table(ExitCode.all.map { (String($0.number), $0.meaning) }))

        "credstore help COMMAND" says more about a command.

        """
    }

    package static func of(_ command: Command) -> String {
        """
        usage: \(command.usage)

        \(wrapped(command.help))

        "credstore help" lists the options and the exit codes.

        """
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.utf8.count).max() ?? 0
        return rows.map { name, text in
            "  \(name)\(String(repeating: " ", count: width - name.utf8.count))  \(text)"
        }.joined(separator: "\n")
    }

    /// Breaks paragraphs into lines of at most 78 columns.
    private static func wrapped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { paragraph in
            var lines: [String] = [""]
            for word in paragraph.split(separator: " ") {
                if lines[lines.count - 1].isEmpty {
                    lines[lines.count - 1] = String(word)
                } else if lines[lines.count - 1].count + 1 + word.count <= 78 {
                    lines[lines.count - 1] += " \(word)"
                } else {
                    lines.append(String(word))
                }
            }
            return lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }
}

extension Command {
    package var synopsis: String { operands.isEmpty ? name : "\(name) \(operands)" }
}

extension OptionRow {
    package var synopsis: String { value.map { "\(name) \($0)" } ?? name }
}

/// The exit codes and what each group of causes has in common.
///
/// The causes themselves are in the error table.
package enum ExitCode {
    package static let all: [(number: Int32, meaning: String)] = [
        (0, "done; a write is confirmed"),
        (2, "the command line, a name, a value or a backend that cannot be"),
        (3, "absent: no such entry, or no vault to verify"),
        (4, "locked, or a person is needed"),
        (5, "the store, its key, the input or the output cannot be reached or used"),
        (6, "access denied, or a file that is not private"),
        (7, "damaged, or not readable by this version"),
        (8, "the key or passphrase is not the right one"),
        (9, "timed out or cancelled"),
        (10, "something is there already, or more than once"),
        (11, "no space, or a read-only file system"),
        (12, "partly done: something was omitted or is damaged"),
        (70, "internal error"),
    ]
}

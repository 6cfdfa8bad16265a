/// A command of the tool.
///
/// To add one: a file in `Commands` with an extension of this type that makes it, and a row in ``all``.
package struct Command: Sendable {
    package let name: String
    /// The words that it takes, as the usage line shows them.
    package let operands: String
    let operandCount: ClosedRange<Int>
    /// What its usage line leaves open, for somebody who gave it the wrong words.
    let note: String?
    /// What it does, in a few words.
    package let summary: String
    /// What it does, in whole sentences.
    package let help: String
    let run: @Sendable (Invocation) throws -> Void

    init(
        _ name: String,
        operands: String = "",
        count: ClosedRange<Int> = 0...0,
        note: String? = nil,
        summary: String,
        help: String,
        run: @escaping @Sendable (Invocation) throws -> Void
    ) {
        self.name = name
        self.operands = operands
        operandCount = count
        self.note = note
        self.summary = summary
        self.help = help
        self.run = run
    }

    package var usage: String { "credstore [OPTION ...] \(name)" + (operands.isEmpty ? "" : " \(operands)") }

    /// Every command, in the order in which help shows them.
    package static let all: [Command] = [
        .set, .get, .delete, .list, .dump, .initialize, .key, .doctor, .verify, .repair, .reset, .lock, .unlock, .help,
    ]

    static func named(_ name: String?) throws(Failure) -> Command {
        guard let command = all.first(where: { $0.name == name }) else { throw .usage("There is no such command.") }
        return command
    }
}

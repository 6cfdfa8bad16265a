extension Command {
    static let help = Command(
        "help", operands: "[COMMAND]", count: 0...1,
        summary: "print help, for a command where one is named",
        help: "Prints what the tool can do, or what one command does."
    ) { invocation in
        let command = try invocation.operands.first.map { word throws(Failure) in try Command.named(word) }
        try invocation.output.write(command.map(HelpText.of) ?? HelpText.general)
    }
}

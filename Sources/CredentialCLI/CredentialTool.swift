internal import CCredentialShims
internal import CredentialStorage
internal import Glibc

/// The command-line tool `credstore`.
public enum CredentialTool {
    package static let version = "0.1.0-dev"

    /// Runs the command line of this process and ends the process with the exit code of the error table.
    public static func main() -> Never {
        guard ccs_fill_standard_descriptors() == 0 else { exit(ErrorTable.internalError.exitCode) }
        ccs_quiet_signals()
        // A refusal is not fatal: secrets live in memory that no dump holds. `doctor` reports the limit.
        _ = ccs_deny_dumps()
        exit(run(Arguments.ofThisProcess))
    }

    private static func run(_ words: [String?]) -> Int32 {
        do {
            let arguments = try Arguments(parsing: words)
            if arguments.options.isVerbose { installLog() }
            let output = Output(descriptor: STDOUT_FILENO)
            try run(arguments, output)
            try output.close()
            return 0
        } catch {
            let failure = Failure(error)
            failure.report(asJSON: Arguments.wantsJSON(words))
            return failure.exitCode
        }
    }

    private static func run(_ arguments: Arguments, _ output: Output) throws {
        let options = arguments.options
        if options.wantsVersion { return try writeVersion(options, output) }
        let command = try arguments.command()
        if options.wantsHelp { return try output.write(command.map(HelpText.of) ?? HelpText.general) }
        guard let command else { throw Failure.usage("No command was given.") }
        guard command.operandCount.contains(arguments.operands.count) else {
            throw Failure.usage("The command was given too few or too many arguments.", of: command)
        }
        let invocation = Invocation(options: options, operands: arguments.operands, output: output)
        do {
            try command.run(invocation)
        } catch {
            throw Failure(error).explained(by: invocation)
        }
    }

    private static func writeVersion(_ options: Options, _ output: Output) throws {
        guard options.isJSON else { return try output.write("credstore \(version)\n") }
        var json = JSONWriter()
        json.object { json in json.member("version", version) }
        try output.write(json.bytes.span)
        try output.write("\n")
    }

    private static func installLog() {
        StorageLog.installDefaultSink(minimumLevel: .debug) { record in
            let entry = record.entry.map { " (entry \($0.escapingControls()))" } ?? ""
            Output.report("credstore: \(record.level): \(record.message)\(entry)\n")
        }
    }
}

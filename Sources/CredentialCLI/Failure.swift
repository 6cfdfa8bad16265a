internal import CredentialStorage
internal import Glibc

/// Why a command does not end with exit 0.
///
/// Everything in it comes from the error table or is a fixed text: no word of the command line, no name, no value.
package struct Failure: Error, Sendable {
    /// What `--json` calls it.
    package let cause: String
    /// The category, or the reason of an entry that cannot be read.
    package let category: String?
    let code: StatusCode?
    package let exitCode: Int32
    /// One sentence, or `nil` where the end is quiet.
    package private(set) var message: String?
    /// Whether the message fits the case better than the table's.
    private(set) var isExplained = false

    init(
        _ row: ErrorRow,
        cause: String? = nil,
        category: String? = nil,
        code: StatusCode? = nil,
        sentence: String? = nil,
        remedy: String? = nil
    ) {
        self.cause = cause ?? row.name
        self.category = category
        self.code = code
        exitCode = row.exitCode
        message = Self.join(sentence ?? row.sentence, remedy ?? row.remedy)
    }

    private init(signal number: Int32) {
        cause = "signal"
        category = nil
        code = nil
        exitCode = 128 + number
        message = nil
    }

    /// Sorts any error into the table.
    init(_ error: any Error) {
        self =
            switch error {
            case let failure as Failure: failure
            case let error as StorageError: Failure(store: error)
            case let fault as StorageFault: Failure(store: fault.during(.read))
            default: Failure(ErrorTable.internalError)
            }
    }

    private init(store error: StorageError) {
        let row = ErrorTable.row(for: error)
        self =
            switch error.cause {
            case .unavailable(_, let category, _):
                Failure(row, cause: "unavailable", category: category.rawValue, code: error.code)
            case .undecryptable(let reason): Failure(row, cause: "undecryptable", category: reason.rawValue)
            default: Failure(row)
            }
    }

    static func usage(_ sentence: StaticString) -> Failure {
        Failure(ErrorTable.usage, sentence: sentence.description)
    }

    static func usage(_ sentence: StaticString, of command: Command) -> Failure {
        Failure(ErrorTable.usage).saying(
            sentence, "It is used as: \(command.usage)\(command.note.map { ", and \($0)" } ?? "").")
    }

    /// The same in words that fit the case better than those of the table.
    func saying(_ sentence: StaticString, _ remedy: String) -> Failure {
        var failure = self
        failure.message = Self.join(sentence.description, remedy)
        failure.isExplained = true
        return failure
    }
    static let backendNotInThisBuild = Failure(
        ErrorTable.row(for: .unsupported),
        sentence: "This backend is not in this build.",
        remedy: "Choose the file backend.")
    static let absent = Failure(ErrorTable.absent)
    static let noVault = absent.saying(
        "There is no vault yet.", "Set a first entry or run \"credstore init\"; doctor shows where it is looked for.")
    static let incomplete = Failure(ErrorTable.incomplete)
    static func signal(_ number: Int32) -> Failure { Failure(signal: number) }

    static func input(_ number: Int32) -> Failure {
        Failure(ErrorTable.inputFailed, category: UnavailableCategory.ioError.rawValue, code: .errno(number))
    }

    static func output(_ number: Int32) -> Failure {
        switch number {
        // Whoever read has seen enough, as in `credstore get NAME | head`.
        case EPIPE: signal(SIGPIPE)
        case ENOSPC, EDQUOT, EFBIG:
            Failure(ErrorTable.outputFull, category: UnavailableCategory.noSpace.rawValue, code: .errno(number))
        default: outputFailed(number)
        }
    }

    private static func outputFailed(_ number: Int32) -> Failure {
        Failure(ErrorTable.outputFailed, category: UnavailableCategory.ioError.rawValue, code: .errno(number))
    }

    /// The same where the output only tells of something that was done by then.
    static func outputOfChange(_ number: Int32) -> Failure {
        let failure = number == EPIPE ? outputFailed(number) : output(number)
        return failure.saying(
            "It was done, but the output that tells of it could not be written.",
            "Do not do it again, and look with \"credstore key list\" or \"credstore verify\".")
    }

    /// What happened and what to do next, as one sentence.
    private static func join(_ sentence: String, _ remedy: String) -> String {
        let beginning = remedy.prefix(1).lowercased()
        return "\(sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence); \(beginning)\(remedy.dropFirst())"
    }

    /// Says it on standard error.
    func report(asJSON: Bool) {
        guard let message else { return }
        guard asJSON else { return Output.report("credstore: \(message)\n") }
        var json = JSONWriter()
        json.object { json in
            json.member("error") { json in
                json.object { json in
                    json.member("cause", cause)
                    json.member("category", category)
                    json.member("code") { json in
                        guard let code else { return json.null() }
                        json.object { json in
                            json.member("domain", code.domain.rawValue)
                            json.member("number", code.number)
                        }
                    }
                    json.member("exit", exitCode)
                }
            }
        }
        Output.report(String(decoding: json.bytes, as: UTF8.self) + "\n")
    }
}

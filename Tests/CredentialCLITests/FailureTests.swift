import CredentialStorage
import Testing

@testable import CredentialCLI

@Suite(.timeLimit(.minutes(2)))
struct FailureTests {
    /// The exit codes that scripts rely on, written down once more so that no change of the table goes unseen.
    private static let exits: [Int32: Set<String>] = [
        2: ["invalidEntryKey", "invalidService", "valueTooLarge", "unsupported", "usage"],
        3: ["absent"],
        4: [
            "locked", "promptNeeded", "promptDismissed", "sessionLocked", "sessionStateUnknown",
            "undecryptable(locked)",
        ],
        5: [
            "noSessionBus", "busRefused", "noProvider", "providerFailedToStart", "providerLost", "protocolViolation",
            "noDefaultCollection", "groupUnusable", "boundToAnotherProvider", "noStorageLocation",
            "unsupportedFileSystem", "keySourceMissing", "keySourceUnavailable", "memoryNotLocked", "ioError",
            "notConfirmed", "closed", "forkedProcess", "foreign", "providerCannotHold", "inputFailed", "outputFailed",
        ],
        6: ["accessDenied", "deniedByPolicy", "insecurePermissions"],
        7: [
            "undecryptable(damaged)", "undecryptable(wrongKey)", "undecryptable(keyLost)",
            "undecryptable(formatTooNew)", "undecryptable(notText)", "damaged", "notAStore", "unsupportedVersion",
            "parametersOutOfRange",
        ],
        8: ["wrongKey"],
        9: ["timedOut", "promptTimedOut", "lockTimedOut", "cancelled"],
        10: ["conflict", "ambiguous", "undecryptable(ambiguous)", "lastKeySlot"],
        11: ["noSpace", "readOnly", "outputFull"],
        12: ["incomplete"],
        70: ["internalError"],
    ]

    @Test("every cause has the exit code of the table")
    func table() {
        var found: [Int32: Set<String>] = [:]
        for row in ErrorTable.all + ErrorTable.tool { found[row.exitCode, default: []].insert(row.name) }
        #expect(found == Self.exits)
    }

    @Test("a store's error keeps its category and code, whatever wraps it", arguments: UnavailableCategory.allCases)
    func categories(category: UnavailableCategory) {
        let cause = StorageError.unavailable(operation: .read, category: category, code: .errno(13))
        for error in [cause, .readError(cause: cause), .writeError(cause: cause), .deleteError(cause: cause)] {
            let failure = Failure(error)
            #expect(failure.cause == "unavailable")
            #expect(failure.category == category.rawValue)
            #expect(failure.code == .errno(13))
            #expect(Self.exits[failure.exitCode]?.contains(category.rawValue) == true)
        }
        let bare = StorageError.unavailable(operation: .read, category: category, code: .none)
        #expect(Failure(bare).code == nil)
    }

    @Test("a command with the wrong words is told how it is used, and set where its value comes from")
    func wrongWords() throws {
        let sandbox = try Sandbox()
        let set = try sandbox.run("set", "api-token", "s3cret")
        #expect(set.exit == 2)
        expectOneSentence(set, without: "s3cret", "api-token")
        #expect(set.error.hasSuffix("set NAME, and the value comes from standard input, never from arguments.\n"))
        for words in [["get"], ["get", "a", "b"]] {
            let get = try sandbox.run(raw: words.map { Array($0.utf8) })
            #expect(get.exit == 2)
            #expect(get.error.hasSuffix("; it is used as: credstore [OPTION ...] get NAME.\n"))
        }
    }

    @Test("without a vault verify says so, and list with -v too")
    func noVault() throws {
        let sandbox = try Sandbox()
        let verify = try sandbox.run("verify")
        #expect(verify.exit == 3)
        expectOneSentence(verify)
        #expect(verify.error.hasPrefix("credstore: There is no vault yet;"))
        let list = try sandbox.run("-v", "list")
        #expect(list.exit == 0 && list.out.isEmpty)
        #expect(list.error.contains("there is no vault yet"))
        #expect(try sandbox.run("list").error.isEmpty)
        #expect(try sandbox.snapshot().isEmpty)
    }

    @Test("an entry that cannot be read has its reason as the category", arguments: UndecryptableReason.allCases)
    func reasons(reason: UndecryptableReason) {
        let failure = Failure(StorageError.readError(cause: .undecryptable(reason)))
        #expect(failure.cause == "undecryptable")
        #expect(failure.category == reason.rawValue)
        let others: [UndecryptableReason: Int32] = [.locked: 4, .ambiguous: 10]
        #expect(failure.exitCode == others[reason, default: 7])
    }

    @Test("an error that nobody expected is internal, and its text is not shown")
    func unexpected() {
        struct Stranger: Error, CustomStringConvertible { let description = "canary" }
        let failure = Failure(Stranger())
        #expect(failure.exitCode == 70)
        #expect(failure.message?.hasSuffix("without any secret.") == true)
        #expect(failure.message?.contains("canary") == false)
    }

    @Test(
        "with --json a usage error is JSON on standard error and nothing else",
        arguments: [
            ["--json"], ["--json", "nonsense"], ["get", "--json"], ["get", "a", "b", "--json"],
            ["--nonsense", "--json"], ["list", "x", "--json"], ["--json", "--service"],
            ["--collection", "x", "--kernel-keyring", "list", "--json"],
        ])
    func usage(words: [String]) throws {
        let outcome = try Sandbox().run(raw: words.map { Array($0.utf8) })
        #expect(outcome.exit == 2)
        #expect(outcome.out.isEmpty)
        #expect(outcome.error == errorJSON("usage", exit: 2))
    }

    @Test("a reader that went away is quiet, as a signal is")
    func quiet() {
        #expect(Failure.output(32).message == nil)
        #expect(Failure.output(32).exitCode == 141)
        #expect(Failure.signal(2).exitCode == 130)
        #expect(Failure.signal(2).message == nil)
    }
}

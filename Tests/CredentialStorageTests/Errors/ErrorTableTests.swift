internal import CredentialStorage
internal import Testing

@Suite("The error table")
struct ErrorTableTests {
    /// The exit codes that scripts rely on, by the stable names of the causes.
    static let exitCodes: [Int32: [String]] = [
        2: ["invalidEntryKey", "invalidService", "valueTooLarge", "unsupported"],
        4: [
            "locked", "promptNeeded", "promptDismissed", "sessionLocked", "sessionStateUnknown",
            "undecryptable(locked)",
        ],
        5: [
            "noSessionBus", "busRefused", "noProvider", "providerFailedToStart", "providerLost", "protocolViolation",
            "noDefaultCollection", "groupUnusable", "boundToAnotherProvider", "noStorageLocation",
            "unsupportedFileSystem", "keySourceMissing", "keySourceUnavailable", "memoryNotLocked", "ioError",
            "notConfirmed", "closed", "forkedProcess", "foreign", "providerCannotHold",
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
        11: ["noSpace", "readOnly"],
    ]

    @Test("the table holds exactly the documented causes with the documented exit codes")
    func codes() {
        let found = Dictionary(grouping: ErrorTable.all, by: \.exitCode).mapValues { $0.map(\.name).sorted() }
        #expect(found == Self.exitCodes.mapValues { $0.sorted() })
    }

    @Test("every cause has a row of its own with a sentence and a remedy", arguments: StorageErrorTests.causes)
    func rows(cause: StorageError) throws {
        let row = ErrorTable.row(for: cause)
        #expect(ErrorTable.all.filter { $0.name == row.name }.count == 1)
        for text in [row.sentence, row.remedy] {
            #expect(text.hasSuffix("."))
            #expect(text.count > 10)
            #expect(text.first?.isUppercase == true)
            #expect(!text.contains("\n"))
        }
        let listed = try #require(ErrorTable.all.first { $0.name == row.name })
        #expect(listed.exitCode == row.exitCode)
        #expect(cause.errorDescription == row.sentence)
        #expect(cause.recoverySuggestion == row.remedy)
        for wrapper in [StorageError.readError(cause: cause), .writeError(cause: cause), .deleteError(cause: cause)] {
            #expect(wrapper.errorDescription == row.sentence)
            #expect(ErrorTable.row(for: wrapper).exitCode == row.exitCode)
        }
    }

    @Test("the sentences are fixed: numbers and codes inside an error do not change them")
    func fixedWords() {
        let pairs: [(StorageError, StorageError)] = [
            (.unsupportedVersion(2), .unsupportedVersion(987_654)),
            (.valueTooLarge(limit: 1), .valueTooLarge(limit: 987_654)),
            (
                .unavailable(operation: .read, category: .ioError, code: .errno(5)),
                .unavailable(operation: .delete, category: .ioError, code: StatusCode(domain: .gio, number: 987_654))
            ),
        ]
        for (one, other) in pairs {
            #expect(one.errorDescription == other.errorDescription)
            #expect(one.recoverySuggestion == other.recoverySuggestion)
            #expect(one.errorDescription?.contains("987654") == false)
        }
    }

    @Test("names are unique and sentences differ")
    func uniqueness() {
        #expect(Set(ErrorTable.all.map(\.name)).count == ErrorTable.all.count)
        #expect(Set(ErrorTable.all.map(\.sentence)).count == ErrorTable.all.count)
        #expect(
            ErrorTable.all.count == 13 + UndecryptableReason.allCases.count + UnavailableCategory.allCases.count)
    }
}

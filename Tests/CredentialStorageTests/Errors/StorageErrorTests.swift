internal import CredentialStorage
internal import CredentialStorageTesting
internal import Testing

@Suite("Errors")
struct StorageErrorTests {
    static let causes: [StorageError] =
        [
            .wrongKey, .damaged, .notAStore, .unsupportedVersion(7), .parametersOutOfRange, .invalidEntryKey,
            .invalidService, .valueTooLarge(limit: 1024), .ambiguous, .conflict, .lastKeySlot, .providerCannotHold,
            .unsupported,
        ] + UndecryptableReason.allCases.map(StorageError.undecryptable)
        + UnavailableCategory.allCases.map { .unavailable(operation: .read, category: $0, code: .errno(5)) }

    @Test("a fault becomes one wrapper of its operation around one cause", arguments: StorageOperation.allCases)
    func wrapping(operation: StorageOperation) {
        for cause in Self.causes where cause.category == nil {
            let error = StorageFault.cause(cause).during(operation)
            #expect(error == wrapped(cause, operation))
            #expect(error.cause == cause)
        }
        let error = StorageFault.unavailable(.noSpace, .errno(28)).during(operation)
        let inside = StorageError.unavailable(operation: operation, category: .noSpace, code: .errno(28))
        #expect(error == wrapped(inside, operation))
        #expect(error.category == .noSpace)
        #expect(error.code == .errno(28))
    }

    @Test("cause, category and code look inside without a pattern")
    func looking() {
        let locked = StorageError.unavailable(operation: .write, category: .locked, code: .none)
        #expect(StorageError.writeError(cause: locked).cause == locked)
        #expect(locked.cause == locked)
        #expect(StorageError.writeError(cause: locked).category == .locked)
        #expect(StorageError.writeError(cause: locked).code == nil)
        #expect(StorageError.readError(cause: .conflict).category == nil)
        #expect(StorageError.readError(cause: .conflict).code == nil)
    }

    @Test("a wrapper that somebody put into a wrapper still has a cause, a text and an exit code")
    func nested() {
        let nested = StorageError.readError(cause: .writeError(cause: .readError(cause: .conflict)))
        #expect(nested.cause == .conflict)
        #expect(nested.errorDescription == StorageError.conflict.errorDescription)
        #expect(ErrorTable.row(for: nested).exitCode == 10)
    }

    @Test("performing gives a fault its operation and lets a result through")
    func performs() throws {
        #expect(try performing(.read) { () throws(StorageFault) in 7 } == 7)
        #expect(throws: StorageError.deleteError(cause: .conflict)) {
            try performing(.delete) { () throws(StorageFault) in throw .conflict }
        }
    }

    @Test("adopting keeps wrappers, wraps causes, and takes a foreign error's text away")
    func adopting() {
        struct Foreign: Error, CustomStringConvertible { let description = "secret text" }
        let wrapper = StorageError.readError(cause: .ambiguous)
        #expect(StorageError.adopting(wrapper, during: .write) == wrapper)
        #expect(StorageError.adopting(StorageError.ambiguous, during: .write) == .writeError(cause: .ambiguous))
        #expect(StorageError.adopting(StorageFault.conflict, during: .write) == .writeError(cause: .conflict))
        let foreign = StorageError.adopting(Foreign(), during: .delete)
        #expect(foreign == StorageFault.unavailable(.foreign).during(.delete))
        #expect(!Canary.renderings(of: foreign).joined().contains("secret text"))
        let cancelled = StorageError.adopting(CancellationError(), during: .read)
        #expect(cancelled == StorageFault.unavailable(.cancelled).during(.read))
    }

    @Test("a store of somebody else's gives its errors their form with one call", arguments: StorageOperation.allCases)
    func during(operation: StorageOperation) throws {
        struct Foreign: Error {}
        func thrown(_ error: any Error) -> StorageError? {
            #expect(throws: StorageError.self) { try StorageError.during(operation) { throw error } }
        }
        let wrapped = wrapped(.invalidEntryKey, operation)
        #expect(thrown(StorageError.invalidEntryKey) == wrapped)
        for error in [StorageError.readError(cause: .invalidEntryKey), .readError(cause: wrapped), wrapped] {
            #expect(thrown(error) == wrapped, "exactly one wrapper, the operation's own")
        }
        #expect(thrown(Foreign()) == StorageFault.unavailable(.foreign).during(operation))
        #expect(thrown(CancellationError()) == StorageFault.unavailable(.cancelled).during(operation))
        #expect(try StorageError.during(operation) { 7 } == 7)
    }

    @Test("descriptions are case names and numbers")
    func descriptions() {
        let noSpace = StorageFault.unavailable(.noSpace, .errno(28)).during(.write)
        #expect("\(noSpace)" == "writeError(unavailable(write, noSpace, errno 28))")
        #expect("\(StorageFault.unavailable(.locked).during(.read))" == "readError(unavailable(read, locked))")
        #expect("\(StorageError.deleteError(cause: .invalidEntryKey))" == "deleteError(invalidEntryKey)")
        #expect("\(StorageError.undecryptable(.keyLost))" == "undecryptable(keyLost)")
        #expect("\(StorageError.unsupportedVersion(7))" == "unsupportedVersion(7)")
        #expect("\(StorageError.valueTooLarge(limit: 9))" == "valueTooLarge(limit: 9)")
        #expect("\(StatusCode.none)" == "none")
        #expect("\(StatusCode(domain: .dbus, number: -3))" == "dbus -3")
    }

    @Test(
        "a system error number means what a person would say",
        arguments: [
            (28, .noSpace), (122, .noSpace), (27, .noSpace), (30, .readOnly), (13, .accessDenied), (1, .accessDenied),
            (40, .insecurePermissions), (5, .ioError), (9999, .ioError),
        ] as [(Int32, UnavailableCategory)])
    func system(number: Int32, category: UnavailableCategory) {
        #expect(StorageFault.system(number) == .unavailable(category, .errno(number)))
    }

    private func wrapped(_ cause: StorageError, _ operation: StorageOperation) -> StorageError {
        switch operation {
        case .read: .readError(cause: cause)
        case .write: .writeError(cause: cause)
        case .delete: .deleteError(cause: cause)
        }
    }
}

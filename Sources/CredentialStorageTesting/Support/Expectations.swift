internal import CredentialStorage
internal import FoundationEssentials

/// Ends the rule unless the condition holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(ContractViolation) {
    try ContractViolation.unless(condition, message())
}

/// Ends the rule unless the body throws exactly this error.
func requireError<R>(_ expected: StorageError, from what: String, _ body: () throws -> R) throws {
    do {
        _ = try body()
    } catch let violation as ContractViolation {
        throw violation
    } catch {
        return try require(error as? StorageError == expected, "\(what) threw \(error) instead of \(expected)")
    }
    throw ContractViolation("\(what) threw nothing instead of \(expected)")
}

/// Ends the rule unless the body throws exactly this error.
nonisolated(nonsending) func requireError<R>(
    _ expected: StorageError,
    from what: String,
    _ body: () async throws -> R
) async throws {
    do {
        _ = try await body()
    } catch let violation as ContractViolation {
        throw violation
    } catch {
        return try require(error as? StorageError == expected, "\(what) threw \(error) instead of \(expected)")
    }
    throw ContractViolation("\(what) threw nothing instead of \(expected)")
}

/// Ends the rule unless the store has this value under the name; a `nil` means proven absent.
func requireValue(_ expected: Data?, in store: any Storage, _ key: String, _ when: String) throws {
    let found = try store.get(key)
    switch (found, expected) {
    case (nil, nil): return
    case (nil, _?): throw ContractViolation("get answered nil \(when)")
    case (_?, nil): throw ContractViolation("get answered a value \(when)")
    case (let found?, let expected?):
        try require(
            found == expected,
            "get answered \(found.count) bytes that differ from the \(expected.count) written \(when)")
    }
}

/// An error that an own type throws, to see that it passes through a store unchanged.
struct Passing: Error, Equatable {
    let number: Int
}

/// Ends the rule unless the body throws ``Passing`` with this number.
func requirePassing<R>(_ number: Int, through what: String, _ body: () throws -> R) throws {
    do {
        _ = try body()
    } catch {
        return try require(
            error as? Passing == Passing(number: number), "\(what) turned the body's own error into \(error)")
    }
    throw ContractViolation("\(what) swallowed the body's own error")
}

/// Whether two lists of names have the same bytes in the same order.
func sameBytes(_ left: some Sequence<String>, _ right: some Sequence<String>) -> Bool {
    left.elementsEqual(right) { $0.utf8.elementsEqual($1.utf8) }
}

/// The bytes of a span, `nil` for none.
func copied(_ bytes: Span<UInt8>?) -> Data? {
    if let bytes { Data(copying: bytes) } else { nil }
}

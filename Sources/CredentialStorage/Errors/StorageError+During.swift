extension StorageError {
    /// Runs the inside of one operation, and gives what it throws the form that every store keeps to.
    ///
    /// That form is exactly one wrapper, the one of the operation, around the cause. A store of your own writes each
    /// member like this:
    ///
    /// ```swift
    /// func get(_ key: String) throws -> Data? {
    ///     try StorageError.during(.read) { table[try EntryKey(key)] }
    /// }
    /// ```
    ///
    /// A bare cause such as ``invalidEntryKey`` is wrapped, an error of another operation gets this one's wrapper,
    /// `CancellationError` becomes ``UnavailableCategory/cancelled``, and any other error becomes
    /// ``UnavailableCategory/foreign``, without its text.
    ///
    /// - Parameters:
    ///   - operation: What the caller asked for; listing and locking count as reading.
    ///   - body: The inside of the operation.
    /// - Returns: What the body returned.
    /// - Throws: ``readError(cause:)``, ``writeError(cause:)`` or ``deleteError(cause:)``, as the operation says.
    public static func during<R: ~Copyable>(
        _ operation: StorageOperation,
        _ body: () throws -> R
    ) throws(StorageError) -> R {
        do {
            return try body()
        } catch {
            throw carrying(error, during: operation)
        }
    }

    /// Makes any error of a base store one of this operation: exactly one wrapper, the right one, around the cause.
    ///
    /// A base may answer with the error of a step of its own (a removal that had to list the names first); whoever
    /// called the outer store asked for one operation and gets that one's error.
    package static func carrying(_ error: any Error, during operation: StorageOperation) -> StorageError {
        var cause = adopting(error, during: operation).cause
        // Ours never nest, but a foreign store can build anything.
        while cause != cause.cause { cause = cause.cause }
        return if case .unavailable(_, let category, let code) = cause {
            StorageFault.unavailable(category, code).during(operation)
        } else {
            StorageFault.cause(cause).during(operation)
        }
    }
}

extension StorageError {
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

    /// Runs a call of a base store.
    package static func carrying<R: ~Copyable>(
        _ operation: StorageOperation,
        _ body: () throws -> R
    ) throws(StorageError) -> R {
        do {
            return try body()
        } catch {
            throw carrying(error, during: operation)
        }
    }
}

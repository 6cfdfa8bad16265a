public import FoundationEssentials

// Overloads in extensions, never requirements: a synchronous member would be taken as the witness of an
// async requirement, and would then block the cooperative pool.

extension Storage {
    /// Reads one entry without blocking the caller's thread.
    ///
    /// - Parameter key: The name.
    /// - Returns: The value, or `nil` when the entry is proven absent.
    /// - Throws: ``StorageError/readError(cause:)``, also when the task is cancelled.
    public func get(_ key: String) async throws -> Data? {
        try await offload(.read) { try self.get(key) }
    }

    /// Inserts or replaces one entry without blocking the caller's thread.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The name.
    /// - Throws: ``StorageError/writeError(cause:)``, also when the task is cancelled before the write began.
    public func set(_ value: Data, forKey key: String) async throws {
        try await offload(.write) { try self.set(value, forKey: key) }
    }

    /// Inserts or replaces one entry with text without blocking the caller's thread.
    ///
    /// - Parameters:
    ///   - text: The text, stored as UTF-8.
    ///   - key: The name.
    /// - Throws: ``StorageError/writeError(cause:)``, also when the task is cancelled before the write began.
    public func set(_ text: String, forKey key: String) async throws {
        try await offload(.write) { try self.set(Data(text.utf8), forKey: key) }
    }

    /// Removes one entry without blocking the caller's thread.
    ///
    /// - Parameter key: The name.
    /// - Returns: `false` when the entry was proven absent.
    /// - Throws: ``StorageError/deleteError(cause:)``, also when the task is cancelled before the removal began.
    @discardableResult
    public func delete(_ key: String) async throws -> Bool {
        try await offload(.delete) { try self.delete(key) }
    }

    /// Reads everything without blocking the caller's thread.
    ///
    /// - Returns: The entries, the omissions, and the number of losses without a name.
    /// - Throws: ``StorageError/readError(cause:)``, also when the task is cancelled.
    public func readAll() async throws -> BulkRead {
        try await offload(.read) { try self.readAll() }
    }

    /// Reads everything that opens into a dictionary without blocking the caller's thread.
    ///
    /// - Returns: The values by name.
    /// - Throws: ``StorageError/readError(cause:)``, also when the task is cancelled.
    public func getAll() async throws -> [String: Data] {
        try await offload(.read) { try self.getAll() }
    }

    /// Lists the names without blocking the caller's thread.
    ///
    /// - Returns: The names in byte order.
    /// - Throws: ``StorageError/readError(cause:)``, also when the task is cancelled.
    public func keys() async throws -> [String] {
        try await offload(.read) { try self.keys() }
    }

    /// Reads one entry as text without blocking the caller's thread.
    ///
    /// - Parameter key: The name.
    /// - Returns: The text, or `nil` when the entry is proven absent.
    /// - Throws: ``StorageError/readError(cause:)``, also when the task is cancelled or the value is not UTF-8.
    public func string(forKey key: String) async throws -> String? {
        try await offload(.read) { try self.string(forKey: key) }
    }

    /// Reads one entry into locked memory, on another thread, where the body runs too.
    ///
    /// - Parameters:
    ///   - key: The name.
    ///   - body: Gets the value, or `nil` when the entry is proven absent.
    /// - Returns: What the body returned.
    /// - Throws: ``StorageError/readError(cause:)``, also when the task is cancelled, or what the body threw.
    public func withSecret<R: Sendable>(
        forKey key: String,
        _ body: @escaping @Sendable (Span<UInt8>?) throws -> R
    ) async throws -> R {
        try await offload(.read) { try self.withSecret(forKey: key, body) }
    }

    /// Removes every entry of this namespace without blocking the caller's thread.
    ///
    /// - Throws: ``StorageError/deleteError(cause:)``, also when the task is cancelled before the removal began.
    public func deleteAll() async throws {
        try await offload(.delete) { try self.deleteAll() }
    }
}

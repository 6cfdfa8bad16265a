public import FoundationEssentials

/// A store of small secrets under names.
///
/// Absent, unreadable and unreachable are three different answers: `nil` means that the entry is *proven* absent;
/// everything else that keeps a value from being read is a thrown ``StorageError``.
///
/// Names are compared byte for byte (see ``EntryKey``). Values are any bytes; an empty value is a value. All members
/// are synchronous, may block for I/O, and may be called from any thread; overloads of the same names for
/// `async` code run them off the caller's thread and obey cancellation.
///
/// To write a store of your own, implement ``get(_:)``, ``set(_:forKey:)``, ``delete(_:)``, ``readAll()`` and
/// ``keys()``, and run the contract of `CredentialStorageTesting` against it. Four rules are easily missed: names are kept
/// as ``EntryKey``, errors get their form from ``StorageError/during(_:_:)``, ``keys()`` is in byte order, and a value
/// over 1 MiB is refused. `docs/own-store.md` shows a whole one.
public protocol Storage: Sendable {
    /// Reads one entry into ordinary memory.
    ///
    /// The value is the caller's from then on, and nothing wipes it: it may stay in memory after its last use, be written
    /// to the swap, and be part of a core dump. ``withSecret(forKey:_:)`` gives a value that does none of that.
    ///
    /// - Parameter key: The name.
    /// - Returns: The value, or `nil` when the entry is proven absent.
    /// - Throws: ``StorageError/readError(cause:)``.
    func get(_ key: String) throws -> Data?

    /// Inserts or replaces one entry, atomically. When it returns, the value is as durable as the store can make it.
    ///
    /// - Parameters:
    ///   - value: The value, at most 1 MiB by default.
    ///   - key: The name.
    /// - Throws: ``StorageError/writeError(cause:)``; the old value is then still there, unless the cause says
    ///   ``UnavailableCategory/notConfirmed``.
    func set(_ value: Data, forKey key: String) throws

    /// Removes one entry.
    ///
    /// - Parameter key: The name.
    /// - Returns: `false` when the entry was proven absent, which is no error.
    /// - Throws: ``StorageError/deleteError(cause:)``.
    @discardableResult
    func delete(_ key: String) throws -> Bool

    /// Reads everything: the entries that open, and a list of those that do not.
    ///
    /// - Returns: The entries in byte order, the omissions, and the number of losses without a name.
    /// - Throws: ``StorageError/readError(cause:)`` when the store as a whole cannot be read.
    func readAll() throws -> BulkRead

    /// Lists the names of all entries in byte order, those that no longer open included.
    ///
    /// - Returns: The names.
    /// - Throws: ``StorageError/readError(cause:)``, also when damage took a name, because the list would be short.
    func keys() throws -> [String]

    /// Reads one entry into locked memory that is wiped when the body returns.
    ///
    /// - Parameters:
    ///   - key: The name.
    ///   - body: Gets the value, or `nil` when the entry is proven absent. It must not keep the span.
    /// - Returns: What the body returned.
    /// - Throws: ``StorageError/readError(cause:)``, or what the body threw.
    func withSecret<R>(forKey key: String, _ body: (Span<UInt8>?) throws -> R) throws -> R

    /// Inserts or replaces one entry without passing its value through a `Data`.
    ///
    /// - Parameters:
    ///   - bytes: The value.
    ///   - key: The name.
    /// - Throws: ``StorageError/writeError(cause:)``.
    func setSecret(_ bytes: Span<UInt8>, forKey key: String) throws

    /// Removes every entry of this namespace and nothing else.
    ///
    /// - Throws: ``StorageError/deleteError(cause:)``.
    func deleteAll() throws

    /// Where this store reports omissions and warnings.
    var log: StorageLog { get }
}

extension Storage {
    /// Reads into ordinary memory, then copies into locked memory.
    ///
    /// A store with a form of its own avoids the `Data`.
    public func withSecret<R>(forKey key: String, _ body: (Span<UInt8>?) throws -> R) throws -> R {
        guard let value = try get(key) else { return try body(nil) }
        let buffer = try performing(.read) { () throws(StorageFault) in
            try SecureBuffer(copying: value.span, in: .shared)
        }
        return try buffer.withBytes { try body($0) }
    }

    /// Copies into ordinary memory.
    ///
    /// A store with a form of its own avoids that.
    public func setSecret(_ bytes: Span<UInt8>, forKey key: String) throws {
        try set(Data(copying: bytes), forKey: key)
    }

    /// Removes the entries one by one.
    public func deleteAll() throws {
        let names: [String]
        do {
            names = try keys()
        } catch let error as StorageError {
            // Listing failed as a read; what was asked for is a removal.
            throw StorageFault.adopting(error).during(.delete)
        }
        for name in names { try delete(name) }
    }

    /// The program's default log.
    public var log: StorageLog { .default }
}

extension Storage {
    /// Reads everything that opens into a dictionary, and logs each omission by name.
    ///
    /// - Returns: The values by name.
    /// - Throws: ``StorageError/readError(cause:)``; ``StorageError/ambiguous`` inside it when two names have
    ///   different bytes and are equal as `String`: a dictionary would drop one, ``readAll()`` does not.
    public func getAll() throws -> [String: Data] {
        let bulk = try readAll()
        bulk.report(to: log)
        var values: [String: Data] = [:]
        values.reserveCapacity(bulk.entries.count)
        for entry in bulk.entries where values.updateValue(entry.value, forKey: entry.key) != nil {
            throw StorageError.readError(cause: .ambiguous)
        }
        return values
    }

    /// Reads one entry as text.
    ///
    /// - Parameter key: The name.
    /// - Returns: The text, or `nil` when the entry is proven absent.
    /// - Throws: ``StorageError/readError(cause:)``; ``StorageError/undecryptable(_:)`` with
    ///   ``UndecryptableReason/notText`` inside it when the value is not UTF-8. Such a value is sound and is never
    ///   repaired; ``get(_:)`` reads it.
    public func string(forKey key: String) throws -> String? {
        guard let value = try get(key) else { return nil }
        guard let text = String(validating: value, as: UTF8.self) else {
            throw StorageError.readError(cause: .undecryptable(.notText))
        }
        return text
    }

    /// Inserts or replaces one entry with text.
    ///
    /// - Parameters:
    ///   - text: The text, stored as UTF-8.
    ///   - key: The name.
    /// - Throws: ``StorageError/writeError(cause:)``.
    public func set(_ text: String, forKey key: String) throws {
        try set(Data(text.utf8), forKey: key)
    }
}

extension BulkRead {
    /// One record for each omission, with its name where that is known, and one for all losses: a damaged store can claim any
    /// number of them.
    package func report(to log: StorageLog) {
        for omission in omitted { log.warning("an entry could not be read and was omitted", entry: omission.key) }
        if lost > 0 { log.warning("entries whose names cannot be told were lost to damage") }
    }
}

extension Data {
    package init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
    }
}

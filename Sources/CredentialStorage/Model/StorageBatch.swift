public import FoundationEssentials

/// Changes that take effect together, or not at all.
///
/// A batch sees the store as it was when the transaction began, with its own changes on top. It is a plain value:
/// nothing happens before ``TransactionalStorage/update(_:)-requirement`` has run its body to the end.
public struct StorageBatch {
    /// One change: a new value, or `nil` for a removal.
    public struct Change {
        /// The name.
        public let key: EntryKey
        /// The new value, or `nil` for a removal.
        public let value: Data?
    }

    /// The changes in the order in which their names first came up; each name stands once.
    public private(set) var changes: [Change] = []

    private var places: [EntryKey: Int] = [:]
    private let base: (EntryKey) throws -> Data?

    /// Makes an empty batch, for a store of your own.
    ///
    /// - Parameter base: Reads the store as it was when the transaction began.
    public init(reading base: @escaping (EntryKey) throws -> Data?) { self.base = base }

    /// The value as this batch would leave it.
    ///
    /// - Parameter key: The name.
    /// - Returns: The value, or `nil` when the entry is proven absent.
    /// - Throws: ``StorageError`` as the store's own reading does.
    public func get(_ key: String) throws -> Data? {
        let key = try performing(.read) { () throws(StorageFault) in try EntryKey(checking: key) }
        if let place = places[key] { return changes[place].value }
        return try base(key)
    }

    /// Inserts or replaces an entry.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The name.
    /// - Throws: ``StorageError/invalidEntryKey`` inside a write error.
    public mutating func set(_ value: Data, forKey key: String) throws {
        try put(value, key, during: .write)
    }

    /// Inserts or replaces an entry with text.
    ///
    /// - Parameters:
    ///   - text: The text, stored as UTF-8.
    ///   - key: The name.
    /// - Throws: ``StorageError/invalidEntryKey`` inside a write error.
    public mutating func set(_ text: String, forKey key: String) throws {
        try put(Data(text.utf8), key, during: .write)
    }

    /// Removes an entry.
    ///
    /// It is no error when there is none.
    ///
    /// - Parameter key: The name.
    /// - Throws: ``StorageError/invalidEntryKey`` inside a write error.
    public mutating func delete(_ key: String) throws {
        try put(nil, key, during: .write)
    }

    private mutating func put(_ value: Data?, _ key: String, during operation: StorageOperation) throws {
        let key = try performing(operation) { () throws(StorageFault) in try EntryKey(checking: key) }
        if let place = places[key] {
            changes[place] = Change(key: key, value: value)
        } else {
            places[key] = changes.count
            changes.append(Change(key: key, value: value))
        }
    }
}

extension StorageBatch: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of changes.
    public var description: String { "StorageBatch(\(changes.count) changes)" }
    /// The number of changes.
    public var debugDescription: String { description }
    /// The number of changes only.
    public var customMirror: Mirror { Mirror(self, children: ["changes": changes.count]) }
}

extension StorageBatch.Change: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "Change(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

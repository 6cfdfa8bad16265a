/// The prefix of a namespace, as bytes.
struct Prefix: Sendable {
    /// `nil` when what was given is no valid name.
    private let text: EntryKey?

    init(_ text: String) { self.text = try? EntryKey(text) }

    /// Whether anything can stand under this prefix at all.
    var isValid: Bool { text != nil }

    func check(for operation: StorageOperation) throws(StorageError) {
        guard isValid else { throw StorageFault.invalidEntryKey.during(operation) }
    }

    /// The name in the base.
    func joined(_ key: String, for operation: StorageOperation) throws(StorageError) -> String {
        try performing(operation) { () throws(StorageFault) in
            guard let text else { throw .invalidEntryKey }
            // The key by itself must be valid too: an empty one would name the prefix.
            let key = try EntryKey(checking: key)
            return try EntryKey(checking: text.name + key.name).name
        }
    }

    /// The rest of a name in the base, or `nil` when the name does not belong here.
    func stripped(_ name: String) -> String? {
        guard let text, name.utf8.count > text.name.utf8.count, name.utf8.starts(with: text.name.utf8) else {
            return nil
        }
        // Both are UTF-8, so the rest begins with a whole scalar, be it a combining one.
        return String(validating: name.utf8.dropFirst(text.name.utf8.count), as: UTF8.self)
    }
}

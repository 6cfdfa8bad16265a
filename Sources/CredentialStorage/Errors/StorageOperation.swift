/// The kind of operation that an error belongs to.
public enum StorageOperation: String, Sendable, CaseIterable {
    /// Reading, listing, probing and locking.
    case read
    /// Setting, comparing and setting, batches and key changes.
    case write
    /// Removing entries.
    case delete
}

/// A store that can change several entries together.
///
/// Only stores that own their data conform: the file and the memory store. A bus has no transactions.
public protocol TransactionalStorage: AtomicStorage {
    /// Changes several entries: all of them, or none.
    ///
    /// Nobody else changes the store while the body runs, and the body runs once. It must work through the batch;
    /// changing the same store from inside it throws ``StorageError/conflict``.
    ///
    /// - Parameter body: Reads and changes through the batch. When it throws, nothing changes.
    /// - Throws: ``StorageError/writeError(cause:)``, or what the body threw.
    func update(_ body: (inout StorageBatch) throws -> Void) throws
}

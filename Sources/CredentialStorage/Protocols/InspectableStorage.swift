/// A store that says what it is and in which state.
public protocol InspectableStorage: Storage {
    /// Which kind of store this is.
    var backend: StorageBackend { get }

    /// The protection that was really reached.
    ///
    /// - Throws: ``StorageError/readError(cause:)`` when the store would have to be opened to tell, and cannot be.
    var protection: Protection { get throws }

    /// Looks without a dialog and without a write.
    ///
    /// - Returns: What could be learnt.
    func probe() -> StorageProbe

    /// Returns when a lock that makes the store unavailable has ended.
    ///
    /// - Throws: ``StorageError/readError(cause:)`` when the store is unavailable for another reason, or when the
    ///   task is cancelled.
    func waitUntilAvailable() async throws

    /// Wipes keys and ends sessions. Every later call throws ``UnavailableCategory/closed``.
    func close()
}

/// Tells whether the user's session is locked.
public protocol SessionState: Sendable {
    /// Whether the session is locked now.
    ///
    /// - Returns: `true` while it is locked.
    /// - Throws: When that cannot be learnt; stores then answer ``UnavailableCategory/sessionStateUnknown``.
    func isLocked() throws -> Bool
}

/// The namespace of all builders; each backend adds its own.
///
/// Options return a changed copy. `build()` returns at once, does no I/O on the caller's thread, never throws and
/// never asks; the first real operation gives the authoritative error.
public enum StorageBuilder {}

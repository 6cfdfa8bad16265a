/// Why a store could not be reached or used.
///
/// The raw values are stable: scripts read them from `credstore --json`.
@nonexhaustive
public enum UnavailableCategory: String, Sendable, CaseIterable {
    /// The collection or item is locked.
    case locked
    /// Going on needs a dialog that the caller did not allow.
    case promptNeeded
    /// A person dismissed the dialog.
    case promptDismissed
    /// Nobody answered the dialog in time.
    case promptTimedOut
    /// The user's session is locked, and the protection level forbids use while it is.
    case sessionLocked
    /// It cannot be learnt whether the user's session is locked.
    case sessionStateUnknown
    /// There is no session bus.
    case noSessionBus
    /// The session bus refused the connection.
    case busRefused
    /// No Secret Service provider is installed or running.
    case noProvider
    /// A provider is installed, and it failed to start.
    case providerFailedToStart
    /// The provider went away in the middle of a call.
    case providerLost
    /// No answer came within the deadline.
    case timedOut
    /// Another user of the store held its lock beyond the deadline.
    case lockTimedOut
    /// The provider's answer breaks the protocol.
    case protocolViolation
    /// The provider has no default collection.
    case noDefaultCollection
    /// The access group does not exist, is locked, or cannot be written.
    case groupUnusable
    /// The data of this service lives with another provider or backend, or in another collection than the default one.
    case boundToAnotherProvider
    /// The system denied access.
    case accessDenied
    /// A sandbox policy denied access.
    case deniedByPolicy
    /// A file or directory is not private to this user, or is a symbolic link.
    case insecurePermissions
    /// No usable place for the store could be found.
    case noStorageLocation
    /// The disk, quota or file-size limit is exhausted.
    case noSpace
    /// The file system or file is read-only.
    case readOnly
    /// The system reported an input or output error.
    case ioError
    /// A write whose outcome is unknown: it may or may not have happened.
    case notConfirmed
    /// The file system cannot keep the store's promises.
    case unsupportedFileSystem
    /// The key source does not exist.
    case keySourceMissing
    /// The key source exists and cannot be used.
    case keySourceUnavailable
    /// Locked memory was demanded and the system refuses it.
    case memoryNotLocked
    /// The task was cancelled while it waited.
    case cancelled
    /// The store was closed.
    case closed
    /// The process was forked without exec; the store belongs to the parent.
    case forkedProcess
    /// A store of another kind threw an error of its own.
    case foreign
}

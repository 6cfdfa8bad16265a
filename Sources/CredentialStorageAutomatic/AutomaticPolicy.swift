public import CredentialStorage

/// A kind of store that the automatic choice can take.
public enum AutomaticChoice: String, Sendable, CaseIterable {
    /// An encrypted file whose key is an entry in the user's keyring: the keyring's protection at the speed of a file.
    case keyringVault = "keyring-vault"
    /// An encrypted file under ``/CredentialStorageSealing/KeySource/defaultKeyFile``.
    case file = "file"
    /// Entries in the user's keyring.
    case secretService = "secret-service"
    /// Entries in this process's memory, which end with it.
    case memory = "memory"

    /// The kind of store that holds the entries.
    public var backend: StorageBackend {
        switch self {
        case .keyringVault, .file: .file
        case .secretService: .secretService
        case .memory: .memory
        }
    }

    /// Whether a keyring is needed.
    var needsKeyring: Bool { self == .keyringVault || self == .secretService }
}

/// Which kinds of store the automatic choice may take, in the order in which they are considered.
///
/// A kind is passed over only where it is proven that there is no keyring on this machine: no session bus, or no
/// provider on it. A keyring that is locked, slow or broken is an error, and no reason to take something weaker.
public struct AutomaticPolicy: Sendable, Equatable {
    /// The kinds, in order.
    public var allowed: [AutomaticChoice]

    /// Allows these kinds and no others.
    ///
    /// - Parameter allowed: The kinds, in the order in which they are considered.
    public init(_ allowed: [AutomaticChoice]) { self.allowed = allowed }

    /// A vault under a key in the keyring where there is a keyring, else one under a key file.
    public static let durable = AutomaticPolicy([.keyringVault, .file])
}

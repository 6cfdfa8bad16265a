internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing

/// A kind of store that the tool can use.
///
/// To add one: a file beside this one with an extension of this type that makes it, and a row in ``all``.
package struct Backend: Sendable {
    package let name: String
    /// Opens a store, or `nil` where the backend is not in this build.
    let open: (@Sendable (Options) throws -> any InspectableStorage)?
    /// Looks at it without a write and without a question.
    let diagnose: @Sendable (Options) -> Diagnosis
    /// Opens a store whose entry is to be the key of a vault, or `nil` where the backend is not meant to hold one.
    var openForKey: (@Sendable (Options) throws -> any InspectableStorage)?

    /// Every backend.
    package static let all: [Backend] = [.file, .secretService]

    /// What `--backend` takes where the choice is left to what there is.
    static let automaticName = "auto"

    /// What `--backend` takes, for a person.
    static let names = ([automaticName] + all.map(\.name)).joined(separator: ", ")

    /// The backends that can hold the key of a vault, for a person.
    static let keyHolders = all.filter { $0.openForKey != nil }.map(\.name).joined(separator: ", ")

    /// The key of a vault as an entry of the backend of this name.
    static func keyEntry(from name: String, _ options: Options) throws -> KeySource {
        guard let backend = all.first(where: { $0.name == name }) else {
            throw Failure.usage("There is no such backend.")
        }
        guard let open = backend.openForKey else {
            throw backend.open == nil
                ? Failure.backendNotInThisBuild : Failure.usage("This backend does not hold the key of a vault.")
        }
        return .entry(KeySource.entryName, in: try open(options))
    }
}

/// What `doctor` learnt about a backend.
struct Diagnosis: Sendable {
    /// What is known about the place of a vault.
    struct Vault: Sendable {
        let path: String?
        let exists: Bool
        let slots: [String]
        /// What is there of its files and directories, and how open that is.
        let modes: [FileMode]
        let fileSystem: FileSystemKind?
    }

    /// What is known about a keyring and the way to it.
    struct Keyring: Sendable {
        struct Provider: Sendable {
            let busName: String
            let process: Int32?
            let program: String?
            let kind: String?
            let version: String?
        }

        struct Collection: Sendable {
            let label: String
            /// `nil` where it did not say.
            let isLocked: Bool?
        }

        let bus: String
        let provider: Provider?
        let collections: [Collection]
        /// Whether the collection that holds the entries is; `nil` where that could not be learnt.
        let isLocked: Bool?
        /// How secrets travel over the bus; `nil` where no session could be opened.
        let algorithm: String?
        let isEncrypted: Bool
        /// What the automatic choice makes of it.
        let probe: StorageProbe
    }

    /// Why it cannot be used, or not in full; `nil` when it can.
    var failure: Failure?
    /// Whether reads work all the same.
    var isReadable = false
    /// Whether the program behind it runs; nothing is known of one that does not.
    var isRunning = true
    var vault: Vault?
    var keyring: Keyring?
    var key: KeyPlace?
    /// What is not private, where that is why.
    var openPlaces: [OpenPlace] = []
    var protection: Protection?
}

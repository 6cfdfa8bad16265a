internal import CredentialStorage
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

    /// Every backend, in the order in which `auto` considers them.
    package static let all: [Backend] = [.file, .secretService]

    /// What `--backend` takes, for a person.
    static let names = (["auto"] + all.map(\.name)).joined(separator: ", ")

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
        return .entry(KeyKind.entryName, in: try open(options))
    }

    /// The backend of this name, or the one that `auto` takes, and the rule that chose it.
    static func choose(_ name: String) -> (backend: Backend, rule: String) {
        if let named = all.first(where: { $0.name == name }) {
            return (named, "it was named by --backend")
        }
        return (.file, "auto takes the encrypted file")
    }
}

/// What `doctor` learnt about a backend.
struct Diagnosis: Sendable {
    /// What is known about the place of a vault.
    struct Vault: Sendable {
        let path: String?
        let exists: Bool
        let slots: [String]
    }

    /// What is known about the collection of a keyring.
    struct Keyring: Sendable {
        let isLocked: Bool
        /// Whether secrets are encrypted on their way over the bus; `nil` where no session could be opened.
        let isEncrypted: Bool?
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

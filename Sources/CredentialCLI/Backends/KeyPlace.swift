internal import CCredentialShims
internal import CredentialStorageFile

/// Where the key of a vault is looked for.
struct KeyPlace: Sendable {
    /// The path, or `nil` where the key is in no file.
    let path: String?
    let exists: Bool
    private let words: String

    init(_ options: Options, of store: EncryptedFileStorage) {
        switch options.key {
        case .standard:
            path = store.keyPath
            // A vault that only a passphrase opens has a source that looks nowhere.
            words = store.hasVault && path == nil ? "a passphrase, asked for on the terminal" : "no location"
        case .file:
            path = store.keyPath
            words = "no location"
        case .passphraseFile(let file):
            path = file
            words = ""
        case .passphraseDescriptor(let number):
            path = nil
            words = "a passphrase from descriptor \(number)"
        }
        var status = ccs_status()
        exists = path.map { unsafe ccs_status_at($0, 0, &status) == 0 } ?? false
    }

    /// The path and whether anything is there, or what takes its place.
    var text: String {
        path.map { "\($0.escapingControls()) (\(exists ? "exists" : "missing"))" } ?? words
    }
}

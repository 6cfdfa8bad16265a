internal import CCredentialShims
internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing

/// Where the key of a vault is looked for.
struct KeyPlace: Sendable {
    /// The path, or `nil` where the key is in no file.
    let path: String?
    let exists: Bool
    /// Whether it stands in the directory of the vault, so that whoever copies that has both.
    let isBesideVault: Bool
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
        case .systemdCredential:
            path = store.keyPath
            words = "no credentials of a service"
        case .entry(let backend):
            path = nil
            words = "the entry \(KeySource.entryName) of \(backend.escapingControls())"
        case .kernelKeyring:
            path = nil
            words = "the kernel's memory"
        case .passphraseFile(let file):
            path = file
            words = ""
        case .passphraseDescriptor(let number):
            path = nil
            words = "a passphrase from descriptor \(number)"
        }
        var status = ccs_status()
        exists = path.map { unsafe ccs_status_at($0, 0, &status) == 0 } ?? false
        let directory = exists ? path.flatMap(Self.directory) : nil
        isBesideVault = directory != nil && directory == store.vaultPath.flatMap(Self.directory)
    }

    /// What tells the directory of a path from others; `nil` when there is none.
    private static func directory(of path: String) -> [UInt64]? {
        var status = ccs_status()
        return unsafe ccs_status_at(parentDirectory(of: path), 1, &status) == 0 ? [status.device, status.inode] : nil
    }

    /// The path, whether anything is there and beside the vault, or what takes its place.
    var text: String {
        guard let path else { return words }
        let finding = isBesideVault ? "exists, beside the vault: who copies the directory has both" : "exists"
        return "\(path.escapingControls()) (\(exists ? finding : "missing"))"
    }
}

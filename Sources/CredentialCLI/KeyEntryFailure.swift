internal import CredentialStorage
internal import CredentialStorageSealing

extension Failure {
    /// The same of the key of a vault that is an entry of a keyring, where what is wrong with that entry can be told.
    func saidOfKeyEntry(_ options: Options) -> Failure {
        guard case .entry(let name) = options.key else { return self }
        switch category.flatMap(UnavailableCategory.init) {
        case .keySourceMissing:
            return saying(
                "The keyring has no key for this vault.", "Put it back, or name another one; none was made.")
        case .keySourceUnavailable: break
        default: return self
        }
        let backend = Backend.all.first { $0.name == name }
        guard let store = try? backend?.openForKey?(options) else { return self }
        do {
            let isKey = try store.withSecret(forKey: KeySource.entryName) { (bytes: Span<UInt8>?) -> Bool in
                if let bytes { bytes.count == 32 } else { false }
            }
            return isKey ? self : sayingNoKey
        } catch let error as StorageError where error.cause == .ambiguous {
            return saying(
                "More than one entry of the keyring could be the key of this vault.",
                "Remove the wrong ones with the keyring's own program; none of them was used.")
        } catch {
            return self
        }
    }

    private var sayingNoKey: Failure {
        saying(
            "The entry of the keyring that should be the key of this vault is no key.",
            "Put the right one back, or name another key of the vault; nothing was changed.")
    }
}

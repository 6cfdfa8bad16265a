internal import CredentialStorage

/// A passphrase that the program supplies.
struct PassphraseSource: KeyProvider {
    private let ask: @Sendable () throws -> KeyMaterial

    init(_ ask: @escaping @Sendable () throws -> KeyMaterial) { self.ask = ask }

    var kind: KeySlotKind { .passphrase }

    func key(for purpose: KeyPurpose, _ request: KeyRequest) throws(StorageFault) -> KeyMaterial {
        let passphrase: KeyMaterial
        do {
            passphrase = try ask()
        } catch {
            // What is not ours and no cancellation is the program's own trouble with its key source.
            let fault = StorageFault.adopting(error)
            throw fault == .unavailable(.foreign) ? .unavailable(.keySourceUnavailable) : fault
        }
        // An empty passphrase is a mistake of the caller's, not a key.
        guard passphrase.first.bytes.count > 0 else { throw .unavailable(.keySourceUnavailable) }
        return passphrase
    }
}

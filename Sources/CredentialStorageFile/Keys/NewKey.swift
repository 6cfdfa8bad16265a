internal import CredentialStorage
internal import CredentialStorageSealing

/// The key of a slot that is to be made, and what becomes of it where that fails.
///
/// Whoever has to be asked is asked before any lock is taken: a person takes time, and so does stretching a passphrase.
/// A source that is immediate is used under the lock: what is refused makes no key, and nobody else of the same vault
/// makes or reads one there meanwhile, so that one which was made for nothing can be taken back.
final class NewKey {
    private let source: KeySource
    private let purpose: KeyPurpose
    private let isMachineBound: Bool
    private let engine: VaultEngine
    private let request: KeyRequest
    private var early: SlotKey?

    init(
        from source: KeySource,
        for purpose: KeyPurpose,
        isMachineBound: Bool,
        _ engine: VaultEngine
    ) throws(StorageFault) {
        self.source = source
        self.purpose = purpose
        self.isMachineBound = isMachineBound
        self.engine = engine
        request = try engine.keyRequest(try engine.location())
        early =
            source.provider.isImmediate
            ? nil
            : try SlotKey(from: source, for: purpose, request, isMachineBound: isMachineBound, engine.options)
    }

    /// Does what takes time of the comparison with other slots, where a person gave the key.
    func prepare(for slots: [SlotRecord]) { early?.prepare(for: slots) }

    /// The key; a file that is missing is made now.
    func key() throws(StorageFault) -> SlotKey {
        if let early { return early }
        return try SlotKey(from: source, for: purpose, request, isMachineBound: isMachineBound, engine.options)
    }

    /// Takes back what was made, unless the change may have happened all the same.
    func takeBack(after error: StorageFault?) {
        if case .unavailable(.notConfirmed, _) = error { return }
        source.provider.discard(request)
    }
}

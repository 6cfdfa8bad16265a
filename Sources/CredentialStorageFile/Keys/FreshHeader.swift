internal import CredentialStorage
internal import CredentialStorageSealing

/// The header of a vault that never was: new ids, new keys, one slot.
struct FreshHeader {
    let engine: VaultEngine

    private var options: VaultEngine.Options { engine.options }

    /// Makes a header for a key.
    func make(with new: NewKey) throws(StorageFault) -> (VaultHeader, masterKey: SharedSecret) {
        let masterKey = try options.randomness.key(in: engine.arena)
        let fileID = try options.randomness.id()
        let key = try new.key()
        let slot = try key.slot(id: 1, for: masterKey, fileID: fileID, options.randomness)
        var header = VaultHeader(
            fileID: fileID, logID: try options.randomness.id(), baseSequence: 0, headerSequence: 1, dataKeyNumber: 1,
            highestSlotID: 1, slots: [slot])
        let dataKey = try options.randomness.key(in: engine.arena)
        try SlotCrypto.wrapDataKey(
            dataKey.bytes, into: &header, masterKey: masterKey.bytes, randomness: options.randomness)
        return (header, masterKey)
    }
}

public import CredentialStorage
public import CredentialStorageSealing

extension EncryptedFileStorage {
    /// The keys that open the vault, as its header states them; empty when there is no vault.
    ///
    /// No key is needed, so nothing proves what is said here.
    ///
    /// - Returns: The slots, in their order.
    /// - Throws: ``StorageError/readError(cause:)`` when the header cannot be read.
    public func keySlots() throws(StorageError) -> [KeySlot] {
        try performing(.read) { () throws(StorageFault) in
            try engine.checkUsable()
            guard !engine.isClosed else { throw .unavailable(.closed) }
            return try VaultProbe(engine: engine).privateHeader()?.slots.map(KeySlot.init) ?? []
        }
    }

    /// Adds a key that opens the vault too.
    ///
    /// Only the header is written, and a crash leaves it as it was or changed. Where all other slots are bound to this
    /// machine, or the store was built with an accessibility, the new one is bound as well. A passphrase is stretched once
    /// more for each slot with a passphrase, to tell whether it opens the vault already.
    ///
    /// - Parameter source: Where the new key comes from; a key file that does not exist yet is made.
    /// - Returns: The new slot.
    /// - Throws: ``StorageError/conflict`` inside a write error when there is no vault, no place for another slot, or
    ///   a slot for this very key already. A key that was made is gone then.
    @discardableResult
    public func addKey(_ source: KeySource) throws(StorageError) -> KeySlot {
        try performing(.write) { () throws(StorageFault) in KeySlot(try SlotChanges(engine: engine).add(source)) }
    }

    /// Removes a key.
    ///
    /// It takes nothing from somebody who has a copy of the file as it was: ``rotateMasterKey(keeping:removing:progress:)``
    /// makes the old key worthless for what is stored from then on.
    ///
    /// - Parameter id: The slot.
    /// - Throws: ``StorageError/lastKeySlot`` inside a write error when nothing else would open the vault,
    ///   ``StorageError/conflict`` when there is no such slot.
    public func removeKey(inSlot id: Int) throws(StorageError) {
        try performing(.write) { () throws(StorageFault) in try SlotChanges(engine: engine).remove(slotID(id)) }
    }

    /// Puts another key in the place of one.
    ///
    /// The slot keeps its number, and its bond to this machine if it has one.
    ///
    /// - Parameters:
    ///   - id: The slot.
    ///   - source: Where the new key comes from; a key file that does not exist yet is made.
    /// - Returns: The changed slot.
    /// - Throws: ``StorageError/conflict`` inside a write error when there is no such slot, or another one for this very
    ///   key. A key file that was made is gone then.
    @discardableResult
    public func changeKey(inSlot id: Int, to source: KeySource) throws(StorageError) -> KeySlot {
        try performing(.write) { () throws(StorageFault) in
            KeySlot(try SlotChanges(engine: engine).change(slotID(id), to: source))
        }
    }

    /// Seals every value under a new data key.
    ///
    /// All slots go on to open the vault, and running programs follow without asking for their key again. After a crash
    /// or a failure at any moment the vault is wholly under the old key or wholly under the new one. Takes about as
    /// long as reading and writing the whole vault; others may use it meanwhile.
    ///
    /// - Parameter progress: Is told how many entries are done, of how many.
    /// - Throws: ``StorageError/damaged`` inside a write error where something in the vault does not open: repair first.
    public func rotateDataKey(progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }) throws(StorageError) {
        try performing(.write) { () throws(StorageFault) in
            try withoutActuallyEscaping(progress) { progress throws(StorageFault) in
                try KeyRotation(engine: engine, progress: progress).renewDataKey()
            }
        }
    }

    /// Seals every value under a new data key, and that one under a new master key.
    ///
    /// Who kept the old master key, or the key of a removed slot and an old copy of the file, opens nothing that is
    /// stored from now on. Running programs ask their key source again.
    ///
    /// - Parameters:
    ///   - sources: Where the keys of the slots that stay come from; the store's own source is among them anyway.
    ///   - removed: The slots that go; no other one does.
    ///   - progress: Is told how many entries are done, of how many.
    /// - Throws: ``UnavailableCategory/keySourceMissing`` inside a write error when no source gives the key of a slot
    ///   that stays, ``StorageError/damaged`` where something in the vault does not open: repair first.
    public func rotateMasterKey(
        keeping sources: [KeySource] = [],
        removing removed: Set<Int> = [],
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(StorageError) {
        try performing(.write) { () throws(StorageFault) in
            var ids: Set<UInt32> = []
            for id in removed { ids.insert(try slotID(id)) }
            try withoutActuallyEscaping(progress) { progress throws(StorageFault) in
                try KeyRotation(engine: engine, progress: progress).renewMasterKey(keeping: sources, removing: ids)
            }
        }
    }

    private func slotID(_ id: Int) throws(StorageFault) -> UInt32 {
        guard let id = UInt32(exactly: id) else { throw .conflict }
        return id
    }
}

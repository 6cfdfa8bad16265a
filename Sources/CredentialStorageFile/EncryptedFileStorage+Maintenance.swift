public import CredentialStorage

extension EncryptedFileStorage {
    /// Writes the vault anew without what was replaced and removed.
    ///
    /// This happens by itself when more of the file is waste than is in use, so that few programs need it: one that has
    /// just removed a lot and wants the removed values, sealed as they are, out of the file now. What the file system
    /// keeps of the old file is out of reach. Others may read and write meanwhile. Without a vault nothing happens.
    ///
    /// - Throws: ``StorageError/damaged`` inside a write error where something in the vault does not open: repair first.
    ///   ``UnavailableCategory/noSpace`` where the disk has no room for a second file. The vault is unchanged then.
    public func compact() throws(StorageError) {
        try performing(.write) { () throws(StorageFault) in try engine.compact() }
    }

    /// Writes what opens of a damaged vault into a new file, and keeps the old one beside it.
    ///
    /// What did not open is gone from the vault and named in the report, as far as damage left the name. Afterwards
    /// a miss proves again that there is no entry. One damaged copy of the header is reason enough. A vault that is older
    /// than it was is accepted as it is, and ``RepairReport/wasRolledBack`` tells so. A sound vault is left as it is, and
    /// so is one whose two header copies are both damaged, for which ``reset()`` is left.
    ///
    /// - Returns: What was kept and what was not, or `nil` when there is no vault.
    /// - Throws: ``UnavailableCategory/noSpace`` inside a write error where the disk has no room for a second file; the
    ///   vault is unchanged then.
    public func repair() throws(StorageError) -> RepairReport? {
        try performing(.write) { () throws(StorageFault) in try VaultRepair(engine: engine).run() }
    }

    /// Puts an empty vault with new keys in the place of the present one, and keeps that beside it.
    ///
    /// Nothing of the present one is opened, so it works with a lost key and with a file that is no vault any more. The
    /// key is the one of the store's key source; a key file that does not exist is made, and gone again after a failure.
    ///
    /// - Returns: The name, beside the vault, of the file that holds the old one; `nil` when there is no vault.
    /// - Throws: ``StorageError/writeError(cause:)``; the vault is unchanged then, unless the cause is
    ///   ``UnavailableCategory/notConfirmed``.
    @discardableResult
    public func reset() throws(StorageError) -> String? {
        try performing(.write) { () throws(StorageFault) in try VaultReset(engine: engine).run() }
    }
}

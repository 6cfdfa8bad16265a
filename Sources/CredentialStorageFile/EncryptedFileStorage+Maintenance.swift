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
}

internal import CredentialStorage
internal import CredentialStorageSealing

extension Randomness {
    /// A new key.
    func key(in arena: SecureArena) throws(StorageFault) -> SharedSecret {
        let key = try SecureBuffer(count: Box.keyLength, in: arena)
        let start = unsafe key.address
        unsafe try fill(UnsafeMutableRawBufferPointer(start: start, count: Box.keyLength))
        return SharedSecret(key)
    }

    /// A new file id or log id.
    func id() throws(StorageFault) -> Bytes16 {
        // A name of its own: the compiler ends a temporary before its span is read.
        let bytes = try bytes(16)
        return Bytes16(bytes.span)
    }
}

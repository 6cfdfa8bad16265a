package import CredentialStorage

/// `B(k, context, data)`: BLAKE2b-256 keyed with k over `context ‖ 0x00 ‖ data`.
package enum KeyDerivation {
    package static func key(from secret: Span<UInt8>, _ context: StaticString, _ data: [UInt8]) throws(StorageFault)
        -> SecureBuffer
    {
        let result = try SecureBuffer(count: 32, in: .shared)
        let target = unsafe result.address.assumingMemoryBound(to: UInt8.self)
        unsafe hash(secret, context, data, into: target)
        return result
    }

    package static func bytes(from secret: Span<UInt8>, _ context: StaticString, _ data: [UInt8]) -> [UInt8] {
        var hash = Blake2b(length: 32, key: secret)
        hash.update(context)
        hash.update([0].span)
        hash.update(data.span)
        return hash.finish()
    }

    private static func hash(
        _ secret: Span<UInt8>,
        _ context: StaticString,
        _ data: [UInt8],
        into target: UnsafeMutablePointer<UInt8>
    ) {
        var hash = Blake2b(length: 32, key: secret)
        hash.update(context)
        hash.update([0].span)
        hash.update(data.span)
        unsafe hash.finish(into: target)
    }

    /// BLAKE2b-256 without a key over `context ‖ 0x00 ‖ secret`: 32 bytes of a secret of any length.
    static func key(hashing secret: Span<UInt8>, _ context: StaticString) throws(StorageFault) -> SecureBuffer {
        let result = try SecureBuffer(count: 32, in: .shared)
        let (noKey, separator): ([UInt8], [UInt8]) = ([], [0])
        var hash = Blake2b(length: 32, key: noKey.span)
        hash.update(context)
        hash.update(separator.span)
        hash.update(secret)
        unsafe hash.finish(into: result.address.assumingMemoryBound(to: UInt8.self))
        return result
    }

    package static func plainHash(_ bytes: Span<UInt8>) -> [UInt8] {
        let noKey: [UInt8] = []
        var hash = Blake2b(length: 32, key: noKey.span)
        hash.update(bytes)
        return hash.finish()
    }
}

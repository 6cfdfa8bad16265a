internal import CCredentialSodium

/// BLAKE2b, fed in parts.
@safe
package struct Blake2b: ~Copyable {
    private let memory: UnsafeMutableRawPointer
    private let state: OpaquePointer
    private let length: Int

    /// Starts a hash of `length` bytes, keyed with `key` unless it is empty.
    package init(length: Int, key: Span<UInt8>) {
        Sodium.start()
        self.length = length
        // The state asks for an alignment of 64, which the type system cannot see.
        let size = crypto_generichash_blake2b_statebytes()
        unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        unsafe state = OpaquePointer(memory)
        unsafe key.withUnsafeBufferPointer { key in
            _ = unsafe crypto_generichash_blake2b_init(state, key.baseAddress, key.count, length)
        }
    }

    deinit {
        unsafe sodium_memzero(memory, crypto_generichash_blake2b_statebytes())
        unsafe memory.deallocate()
    }

    package mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = unsafe crypto_generichash_blake2b_update(state, start, UInt64(bytes.count))
        }
    }

    package mutating func update(_ text: StaticString) {
        unsafe update(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).span)
    }

    /// Writes the hash to `target`, which has room for its length.
    ///
    /// Nothing may be added afterwards.
    package mutating func finish(into target: UnsafeMutablePointer<UInt8>) {
        _ = unsafe crypto_generichash_blake2b_final(state, target, length)
    }

    package mutating func finish() -> [UInt8] {
        var result = [UInt8](repeating: 0, count: length)
        unsafe result.withUnsafeMutableBufferPointer { unsafe finish(into: $0.baseAddress!) }
        return result
    }
}

/// SipHash-2-4 with 128 bits of output.
package enum SipHash {
    package static let keyLength = 16
    package static let length = 16

    /// The same for addresses that are known to be valid, for searches that hash very often.
    package static func hash(
        _ bytes: UnsafePointer<UInt8>,
        count: Int,
        key: UnsafePointer<UInt8>,
        into target: UnsafeMutablePointer<UInt8>
    ) {
        _ = unsafe crypto_shorthash_siphashx24(target, bytes, UInt64(count), key)
    }

    package static func hash(_ bytes: Span<UInt8>, key: Span<UInt8>, into target: UnsafeMutablePointer<UInt8>) {
        precondition(key.count == keyLength)
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe key.withUnsafeBufferPointer { key in
                // An empty buffer may have no address; libsodium reads none of it then.
                _ = unsafe crypto_shorthash_siphashx24(
                    target, bytes.baseAddress ?? key.baseAddress!, UInt64(bytes.count), key.baseAddress!)
            }
        }
    }
}

/// Compares secrets in a time that depends on the lengths only.
package func isEqualInConstantTime(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard left.count > 0 else { return true }
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            unsafe sodium_memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
        }
    }
}

internal import CCredentialSodium

/// XChaCha20-Poly1305 (IETF), detached: the one cipher of this package.
package enum Box {
    package static let keyLength = 32
    package static let nonceLength = 24
    package static let tagLength = 16

    /// Seals a plaintext.
    ///
    /// - Parameters:
    ///   - plaintext: The bytes to seal.
    ///   - ciphertext: Gets as many bytes as the plaintext has; it may be the same memory.
    ///   - tag: Gets 16 bytes.
    ///   - nonce: 24 bytes that were never used with this key for another plaintext.
    ///   - associatedData: What the box is bound to.
    ///   - key: 32 bytes.
    package static func seal(
        _ plaintext: Span<UInt8>,
        into ciphertext: UnsafeMutablePointer<UInt8>,
        tag: UnsafeMutablePointer<UInt8>,
        nonce: Span<UInt8>,
        associatedData: Span<UInt8>,
        key: Span<UInt8>
    ) {
        Sodium.start()
        precondition(nonce.count == nonceLength && key.count == keyLength)
        unsafe plaintext.withUnsafeBufferPointer { plain in
            unsafe nonce.withUnsafeBufferPointer { nonce in
                unsafe associatedData.withUnsafeBufferPointer { data in
                    unsafe key.withUnsafeBufferPointer { key in
                        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
                            ciphertext, tag, nil, plain.baseAddress, UInt64(plain.count), data.baseAddress,
                            UInt64(data.count), nil, nonce.baseAddress!, key.baseAddress!)
                    }
                }
            }
        }
    }

    /// Opens a box.
    ///
    /// - Parameters:
    ///   - ciphertext: The sealed bytes.
    ///   - plaintext: Gets as many bytes as the ciphertext has; wiped by the library when the tag is wrong.
    ///   - tag: 16 bytes.
    ///   - nonce: 24 bytes.
    ///   - associatedData: What the box is bound to.
    ///   - key: 32 bytes.
    /// - Returns: `false` when the box is not the one that was sealed with this key and data.
    package static func open(
        _ ciphertext: Span<UInt8>,
        into plaintext: UnsafeMutablePointer<UInt8>,
        tag: Span<UInt8>,
        nonce: Span<UInt8>,
        associatedData: Span<UInt8>,
        key: Span<UInt8>
    ) -> Bool {
        Sodium.start()
        precondition(nonce.count == nonceLength && key.count == keyLength && tag.count == tagLength)
        return unsafe ciphertext.withUnsafeBufferPointer { sealed in
            unsafe nonce.withUnsafeBufferPointer { nonce in
                unsafe associatedData.withUnsafeBufferPointer { data in
                    unsafe key.withUnsafeBufferPointer { key in
                        unsafe tag.withUnsafeBufferPointer { tag in
                            // An empty box may have no address; libsodium reads none of it then.
                            unsafe crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
                                plaintext, nil, sealed.baseAddress ?? UnsafePointer(plaintext), UInt64(sealed.count),
                                tag.baseAddress!,
                                data.baseAddress, UInt64(data.count), nonce.baseAddress!, key.baseAddress!) == 0
                        }
                    }
                }
            }
        }
    }

    /// Decrypts the beginning of a box without proof: the cipher is a stream, and the box starts at its block 1.
    ///
    /// Nothing that comes out may be believed unless something else proves it.
    package static func peek(
        _ ciphertext: UnsafePointer<UInt8>,
        count: Int,
        into plaintext: UnsafeMutablePointer<UInt8>,
        nonce: UnsafePointer<UInt8>,
        key: UnsafePointer<UInt8>
    ) {
        Sodium.start()
        _ = unsafe crypto_stream_xchacha20_xor_ic(plaintext, ciphertext, UInt64(count), nonce, 1, key)
    }
}

#if SecretService
    internal import CCredentialLibsecret
    internal import CredentialStorage

    /// HKDF with SHA-256, without salt and info, as the Secret Service specification has it; and plain SHA-256.
    enum KeyDerivation {
        /// The 16 bytes of a session key.
        static func sessionKey(_ shared: Span<UInt8>) -> SecureBuffer {
            let salt = [UInt8](repeating: 0, count: 32)
            let extracted = authenticate(shared, key: salt.span)
            let one: [UInt8] = [1]
            let expanded = extracted.withBytes { authenticate(one.span, key: $0) }
            return expanded.withBytes { SecureBuffer(copying: $0.extracting(first: 16)) }
        }

        private static func authenticate(_ message: Span<UInt8>, key: Span<UInt8>) -> SecureBuffer {
            var result = SecureBuffer(count: 32)
            var mac: OpaquePointer?
            unsafe _ = gcry_mac_open(&mac, Int32(GCRY_MAC_HMAC_SHA256.rawValue), 0, nil)
            defer { unsafe gcry_mac_close(mac) }
            unsafe key.withUnsafeBytes { unsafe _ = gcry_mac_setkey(mac, $0.baseAddress, $0.count) }
            unsafe message.withUnsafeBytes { unsafe _ = gcry_mac_write(mac, $0.baseAddress, $0.count) }
            result.withMutableBytes { bytes in
                var length = 32
                unsafe bytes.withUnsafeMutableBytes { unsafe _ = gcry_mac_read(mac, $0.baseAddress, &length) }
            }
            return result
        }

        /// The SHA-256 hash of bytes.
        static func hash(_ bytes: [UInt8]) -> [UInt8] {
            _ = ccl_prepare_gcrypt()
            var digest = [UInt8](repeating: 0, count: 32)
            unsafe gcry_md_hash_buffer(Int32(GCRY_MD_SHA256.rawValue), &digest, bytes, bytes.count)
            return digest
        }
    }
#endif

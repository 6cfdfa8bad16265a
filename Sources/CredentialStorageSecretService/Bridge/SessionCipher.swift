#if SecretService
    internal import CCredentialLibsecret
    internal import CredentialStorage

    /// AES-128 in CBC mode with padding, as an encrypted session uses it.
    ///
    /// It keeps secrets from somebody who watches the bus. It authenticates nothing; the bus does.
    enum SessionCipher {
        static let blockLength = 16

        /// Encrypts in a buffer of its own, the padding included.
        static func encrypt(
            _ value: Span<UInt8>, key: SharedSecret, initial: [UInt8]
        ) -> SharedSecret? {
            let count = value.count
            let padding = blockLength - count % blockLength
            var buffer = SecureBuffer(count: count + padding)
            buffer.withMutableBytes { bytes in
                for index in 0..<count { bytes[index] = value[index] }
                for index in count..<bytes.count { bytes[index] = UInt8(padding) }
            }
            guard unsafe run(&buffer, key, initial, gcry_cipher_encrypt) else { return nil }
            return SharedSecret(buffer)
        }

        /// Decrypts; `nil` for bytes that this key did not make.
        static func decrypt(_ encrypted: Span<UInt8>, key: SharedSecret, initial: [UInt8]) -> SecureBuffer? {
            guard initial.count == blockLength, encrypted.count > 0, encrypted.count % blockLength == 0 else {
                return nil
            }
            var buffer = SecureBuffer(copying: encrypted)
            guard unsafe run(&buffer, key, initial, gcry_cipher_decrypt) else { return nil }
            return buffer.withBytes { bytes -> SecureBuffer? in
                let padding = Int(bytes[bytes.count - 1])
                guard (1...blockLength).contains(padding) else { return nil }
                for index in (bytes.count - padding)..<bytes.count where Int(bytes[index]) != padding { return nil }
                return SecureBuffer(copying: bytes.extracting(first: bytes.count - padding))
            }
        }

        private typealias Direction = (
            OpaquePointer?, UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, Int
        ) -> gcry_error_t

        private static func run(
            _ buffer: inout SecureBuffer, _ key: SharedSecret, _ initial: [UInt8], _ direction: Direction
        ) -> Bool {
            var cipher: OpaquePointer?
            let mode = Int32(GCRY_CIPHER_MODE_CBC.rawValue)
            guard unsafe gcry_cipher_open(&cipher, Int32(GCRY_CIPHER_AES.rawValue), mode, 0) == 0 else { return false }
            defer { unsafe gcry_cipher_close(cipher) }
            let isKeyed = key.bytes.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe gcry_cipher_setkey(cipher, $0.baseAddress, $0.count) } == 0
            }
            guard isKeyed, unsafe gcry_cipher_setiv(cipher, initial, initial.count) == 0 else { return false }
            return unsafe direction(cipher, buffer.address, buffer.count, nil, 0) == 0
        }
    }
#endif

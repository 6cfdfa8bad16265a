#if SecretService
    internal import CCredentialLibsecret
    internal import CredentialStorage

    /// The Diffie-Hellman exchange of an encrypted session: the second Oakley group, 1024 bits.
    ///
    /// Numbers have 128 bytes on the wire, leading zeros included. A peer that leaves them out is understood.
    struct KeyAgreement: Sendable {
        static let length = 128

        private let exponent: SharedSecret
        let publicNumber: [UInt8]

        /// Draws a secret number.
        ///
        /// - Parameter randomness: Where it comes from.
        /// - Throws: When there is no randomness.
        init(_ randomness: any Randomness = SystemRandomness()) throws(StorageFault) {
            guard ccl_prepare_gcrypt() != 0 else { throw .unsupported }
            var candidate: (secret: SharedSecret, number: [UInt8])
            repeat {
                // The group is worth 80 bits; an exponent of 320 is more than twice that.
                var drawn = try randomness.bytes(40)
                defer { drawn.wipe() }
                let shared = SharedSecret(SecureBuffer(copying: drawn.span))
                let number = shared.bytes.withBytes { Self.power([2], $0) }
                candidate = (shared, number)
                // A number that begins with a zero byte is read differently by some providers; there are others.
            } while candidate.number[0] == 0
            exponent = candidate.secret
            publicNumber = candidate.number
        }

        /// The key of the session, and whether every provider derives the same one.
        ///
        /// - Parameter peer: The other side's public number.
        /// - Returns: The key; `nil` for a number that no sound peer sends. It is clear where the shared number does
        ///   not begin with a zero byte, which some providers leave out.
        func key(with peer: [UInt8]) -> (key: SharedSecret, isClear: Bool)? {
            let digits = Array(peer.drop { $0 == 0 })
            guard Self.isSound(digits) else { return nil }
            var shared = exponent.bytes.withBytes { Self.power(digits, $0) }
            defer { shared.wipe() }
            let isClear = shared[0] != 0
            return (SharedSecret(KeyDerivation.sessionKey(shared.span)), isClear)
        }

        /// Whether a number is neither 0, 1, nor the last one of the group, nor beyond it.
        private static func isSound(_ digits: [UInt8]) -> Bool {
            guard digits.count <= length, digits != [1], !digits.isEmpty else { return false }
            let padded = Array(repeating: 0, count: length - digits.count) + digits
            var last = prime
            last[length - 1] -= 1
            return padded.lexicographicallyPrecedes(last)
        }

        private static func power(_ base: [UInt8], _ exponent: Span<UInt8>) -> [UInt8] {
            let base = unsafe number(base.span)
            let exponent = unsafe number(exponent)
            let modulus = unsafe number(prime.span)
            let result = unsafe gcry_mpi_new(UInt32(length * 8))
            defer {
                unsafe gcry_mpi_release(base)
                unsafe gcry_mpi_release(exponent)
                unsafe gcry_mpi_release(modulus)
                unsafe gcry_mpi_release(result)
            }
            unsafe gcry_mpi_powm(result, base, exponent, modulus)
            var digits = [UInt8](repeating: 0, count: length)
            var written = 0
            unsafe gcry_mpi_print(GCRYMPI_FMT_USG, &digits, length, &written, result)
            if written < length {
                digits.insert(contentsOf: repeatElement(0, count: length - written), at: 0)
                digits.removeLast(length - written)
            }
            return digits
        }

        private static func number(_ bytes: Span<UInt8>) -> OpaquePointer? {
            var number: OpaquePointer?
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe _ = gcry_mpi_scan(&number, GCRYMPI_FMT_USG, bytes.baseAddress, bytes.count, nil)
            }
            return unsafe number
        }

        static let prime: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xC9, 0x0F, 0xDA, 0xA2, 0x21, 0x68, 0xC2, 0x34,
            0xC4, 0xC6, 0x62, 0x8B, 0x80, 0xDC, 0x1C, 0xD1, 0x29, 0x02, 0x4E, 0x08, 0x8A, 0x67, 0xCC, 0x74,
            0x02, 0x0B, 0xBE, 0xA6, 0x3B, 0x13, 0x9B, 0x22, 0x51, 0x4A, 0x08, 0x79, 0x8E, 0x34, 0x04, 0xDD,
            0xEF, 0x95, 0x19, 0xB3, 0xCD, 0x3A, 0x43, 0x1B, 0x30, 0x2B, 0x0A, 0x6D, 0xF2, 0x5F, 0x14, 0x37,
            0x4F, 0xE1, 0x35, 0x6D, 0x6D, 0x51, 0xC2, 0x45, 0xE4, 0x85, 0xB5, 0x76, 0x62, 0x5E, 0x7E, 0xC6,
            0xF4, 0x4C, 0x42, 0xE9, 0xA6, 0x37, 0xED, 0x6B, 0x0B, 0xFF, 0x5C, 0xB6, 0xF4, 0x06, 0xB7, 0xED,
            0xEE, 0x38, 0x6B, 0xFB, 0x5A, 0x89, 0x9F, 0xA5, 0xAE, 0x9F, 0x24, 0x11, 0x7C, 0x4B, 0x1F, 0xE6,
            0x49, 0x28, 0x66, 0x51, 0xEC, 0xE6, 0x53, 0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        ]
    }

    extension [UInt8] {
        /// Overwrites the bytes in a way that is not left out as useless.
        mutating func wipe() {
            unsafe withUnsafeMutableBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                unsafe explicit_bzero(start, bytes.count)
            }
        }
    }
#endif

internal import CCredentialSodium

/// SHA-256, fed in parts: what others name a file's checksum by.
package struct Sha256: Sendable {
    package static let length = 32

    private var state = crypto_hash_sha256_state()

    package init() {
        Sodium.start()
        _ = unsafe crypto_hash_sha256_init(&state)
    }

    package mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = unsafe crypto_hash_sha256_update(&state, start, UInt64(bytes.count))
        }
    }

    /// The hash of what was added so far.
    package func finished() -> [UInt8] {
        var copy = state
        var result = [UInt8](repeating: 0, count: Self.length)
        unsafe result.withUnsafeMutableBufferPointer { _ = unsafe crypto_hash_sha256_final(&copy, $0.baseAddress!) }
        return result
    }
}

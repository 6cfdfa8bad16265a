#if SecretService
    internal import CCredentialLibsecret
    internal import CredentialStorage

    /// An array of bytes of a message: part of one that came in, or this process's own memory on its way out.
    @safe
    final class BusBytes: @unchecked Sendable {
        // Unchecked: a variant never changes once it is made, and its count of references is atomic.
        private let variant: OpaquePointer

        /// Takes over a reference.
        init(owning variant: OpaquePointer) { unsafe self.variant = variant }

        /// Shows a secret to the bus without a copy; it is let go with the message.
        convenience init(_ secret: SharedSecret) {
            let owner = unsafe Unmanaged.passRetained(secret)
            let letGo: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
                if let pointer = unsafe pointer {
                    unsafe Unmanaged<SharedSecret>.fromOpaque(pointer).release()
                }
            }
            let variant = unsafe g_variant_new_from_data(
                BusTypes.bytes, secret.bytes.address, gsize(secret.bytes.count), 1, letGo, owner.toOpaque())
            unsafe self.init(owning: g_variant_ref_sink(variant))
        }

        convenience init(copying bytes: [UInt8]) {
            self.init(SharedSecret(SecureBuffer(copying: bytes.span)))
        }

        deinit { unsafe g_variant_unref(variant) }

        var count: Int { unsafe Int(g_variant_get_size(variant)) }

        func withBytes<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
            let start = unsafe g_variant_get_data(variant)?.assumingMemoryBound(to: UInt8.self)
            let buffer = unsafe UnsafeBufferPointer(start: start, count: count)
            return try unsafe body(buffer.span)
        }

        /// The same variant with a reference for the caller.
        var retained: OpaquePointer { unsafe g_variant_ref(variant) }
    }

    /// Types that messages are built with.
    ///
    /// Each is made once and never freed.
    @safe
    enum BusTypes {
        nonisolated(unsafe) static let bytes: OpaquePointer = unsafe g_variant_type_new("ay")

        static func make(_ signature: String) -> OpaquePointer { unsafe g_variant_type_new(signature) }
    }
#endif

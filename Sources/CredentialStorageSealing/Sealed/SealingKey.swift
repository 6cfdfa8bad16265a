public import CredentialStorage

/// A key of 32 random bytes under which ``SealedStorage`` seals: that of an app, or one that a group of apps shares.
///
/// ```swift
/// let bytes = try SealingKey.makeBytes()               // once; keep them where the key is to live
/// let key = try SealingKey(bytes)
/// ```
///
/// Only keys that are derived from it are kept, in guarded memory that is wiped when the last copy goes away. The
/// bytes must be random: a passphrase is no key.
public struct SealingKey: Sendable {
    /// The number of bytes of a key.
    public static let length = 32

    /// The public name of the key, which stands in every record that it sealed.
    public let id: ID

    let derived: DerivedKeys

    /// Makes a key of its bytes.
    ///
    /// - Parameter bytes: 32 random bytes.
    /// - Throws: ``StorageError/readError(cause:)`` with ``UnavailableCategory/keySourceUnavailable`` when there are
    ///   more or fewer.
    public init(_ bytes: borrowing SecureBuffer) throws(StorageError) {
        self = try bytes.withBytes { (bytes) throws(StorageError) in try SealingKey(copying: bytes) }
    }

    /// Makes a key of its bytes.
    ///
    /// - Parameter bytes: 32 random bytes; the caller's copy is not wiped.
    /// - Throws: ``StorageError/readError(cause:)`` with ``UnavailableCategory/keySourceUnavailable`` when there are
    ///   more or fewer.
    public init(copying bytes: Span<UInt8>) throws(StorageError) {
        let (id, derived) = try performing(.read) { () throws(StorageFault) -> (ID, DerivedKeys) in
            guard bytes.count == Self.length else { throw .unavailable(.keySourceUnavailable) }
            let hash = KeyDerivation.bytes(from: bytes, "scr1 key id", [])
            return (ID(bytes: Array(hash.prefix(ID.length))), try DerivedKeys(from: bytes))
        }
        self.id = id
        self.derived = derived
    }

    /// Draws the bytes of a new key.
    ///
    /// - Returns: 32 random bytes, to be kept where the key is to live.
    /// - Throws: ``StorageError/writeError(cause:)`` when the system gives no randomness or no memory.
    public static func makeBytes() throws(StorageError) -> SecureBuffer {
        try performing(.write) { () throws(StorageFault) in
            let bytes = try SecureBuffer(count: length, in: .shared)
            unsafe try SystemRandomness().fill(UnsafeMutableRawBufferPointer(start: bytes.address, count: length))
            return bytes
        }
    }
}

extension SealingKey {
    /// The public name of a key: one can be told from a key, and no key from it.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        static let length = 16

        let bytes: [UInt8]

        init(bytes: [UInt8]) { self.bytes = bytes }

        /// Reads an id that was written down before; the result is `nil` for another text.
        ///
        /// - Parameter text: 32 hexadecimal digits in lower case.
        public init?(_ text: String) {
            guard let bytes = Hexadecimal.bytes(text.utf8), bytes.count == Self.length else { return nil }
            self.bytes = bytes
        }

        /// 32 hexadecimal digits in lower case.
        public var text: String { Hexadecimal.text(bytes) }

        /// 32 hexadecimal digits in lower case.
        public var description: String { text }
    }
}

extension SealingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The id, which is public.
    public var description: String { "SealingKey(\(id))" }
    /// The id, which is public.
    public var debugDescription: String { description }
    /// The id only.
    public var customMirror: Mirror { Mirror(self, children: ["id": id.text]) }
}

public import CredentialStorage
public import FoundationEssentials

/// Where the key of a store comes from.
///
/// ```swift
/// StorageBuilder.EncryptedFile(service: "org.example.app").keySource(.passphrase { try askTheUser() })
/// ```
public struct KeySource: Sendable {
    package let provider: any KeyProvider

    package init(_ provider: any KeyProvider) { self.provider = provider }

    /// A passphrase, stretched with Argon2id.
    ///
    /// - Parameter ask: Gives the passphrase. It runs on the thread that opens the store, once for each opening, and
    ///   may ask a person. What it throws is reported as ``UnavailableCategory/keySourceUnavailable``, a
    ///   `CancellationError` as ``UnavailableCategory/cancelled``, and a ``StorageError`` as its own cause.
    /// - Returns: The source.
    public static func passphrase(_ ask: @escaping @Sendable () throws -> String) -> KeySource {
        KeySource(
            PassphraseSource {
                let bytes = Array(try ask().utf8)
                return try SecureBuffer(copying: bytes.span, in: .shared)
            })
    }

    /// A passphrase as bytes, used exactly as they are.
    ///
    /// - Parameter ask: Gives the bytes, like ``passphrase(_:)-(()->String)``.
    /// - Returns: The source.
    @_disfavoredOverload
    public static func passphrase(_ ask: @escaping @Sendable () throws -> Data) -> KeySource {
        KeySource(
            PassphraseSource {
                let bytes = try ask()
                return try SecureBuffer(copying: bytes.span, in: .shared)
            })
    }

    /// A passphrase that never leaves guarded memory.
    ///
    /// - Parameter ask: Gives the bytes, like ``passphrase(_:)-(()->String)``.
    /// - Returns: The source.
    @_disfavoredOverload
    public static func passphrase(_ ask: @escaping @Sendable () throws -> SecureBuffer) -> KeySource {
        KeySource(PassphraseSource(ask))
    }

    /// A file of 32 random bytes that the caller named.
    ///
    /// It must be a real file that belongs to this user, mode 0600. It is made only when a new store is asked for
    /// in so many words (`create()`), never by a first write.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The source.
    public static func keyFile(_ path: String) -> KeySource {
        KeySource(KeyFileSource(place: .named(path)))
    }

    /// The key file at `$XDG_CONFIG_HOME/<service>/vault.key`.
    ///
    /// It is made by the first write, or by `create()`, when neither it nor a store exists. It never stands in the
    /// directory of the store: where both directories are one, it is ``UnavailableCategory/keySourceUnavailable``.
    public static let defaultKeyFile = KeySource(KeyFileSource(place: .standard))
}

extension KeySource: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of source.
    public var description: String { "KeySource(\(provider.kind.name))" }
    /// The kind of source.
    public var debugDescription: String { description }
    /// The kind only.
    public var customMirror: Mirror { Mirror(self, children: ["kind": provider.kind.name]) }
}

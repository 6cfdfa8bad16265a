public import CredentialStorage
public import FoundationEssentials

/// Where the key of a store comes from.
///
/// ```swift
/// StorageBuilder.EncryptedFile(service: "org.example.app").keySource(.passphrase { try askTheUser() })
/// ```
public struct KeySource: Sendable {
    package let provider: any KeyProvider
    /// Whether a slot that is made for this key is bound to the machine.
    package private(set) var isMachineBound = false

    package init(_ provider: any KeyProvider) { self.provider = provider }

    /// A passphrase, stretched with Argon2id.
    ///
    /// It does not matter how its accents were composed: the passphrase is taken in normalized form C, and where that
    /// opens nothing, as it was typed.
    ///
    /// - Parameter ask: Gives the passphrase. It runs on the thread that opens the store, once for each opening, and
    ///   may ask a person. What it throws is reported as ``UnavailableCategory/keySourceUnavailable``, a
    ///   `CancellationError` as ``UnavailableCategory/cancelled``, and a ``StorageError`` as its own cause.
    /// - Returns: The source.
    public static func passphrase(_ ask: @escaping @Sendable () throws -> String) -> KeySource {
        KeySource(
            PassphraseSource { try KeyMaterial(text: try ask()) })
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
                return KeyMaterial(try SecureBuffer(copying: bytes.span, in: .shared))
            })
    }

    /// A passphrase that never leaves guarded memory.
    ///
    /// - Parameter ask: Gives the bytes, like ``passphrase(_:)-(()->String)``.
    /// - Returns: The source.
    @_disfavoredOverload
    public static func passphrase(_ ask: @escaping @Sendable () throws -> SecureBuffer) -> KeySource {
        KeySource(PassphraseSource { KeyMaterial(try ask()) })
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

    /// A random key that stands as an entry in another store.
    ///
    /// With the Secret Service as that store, a vault has many entries at the speed of a file under the protection of
    /// the login keyring. What the other store answers when it is locked, denied or out of reach is the answer of the
    /// vault. The key is made by the first write, or by `create()`, where neither a vault exists nor, as the other store
    /// proves, the entry; and only in an ``AtomicStorage``, so that two first starts agree on one key.
    ///
    /// - Parameters:
    ///   - name: The name of the entry.
    ///   - store: The other store. What is wrong with the entry itself, such as another length than 32 bytes, is reported
    ///     as ``UnavailableCategory/keySourceUnavailable``.
    /// - Returns: The source.
    public static func entry(_ name: String, in store: any Storage) -> KeySource {
        KeySource(EntrySource(name: name, store: store))
    }

    /// The name of that entry wherever this package itself names it.
    package static let entryName = "vault-key"

    /// A credential that systemd hands to this service: the file of this name in `$CREDENTIALS_DIRECTORY`.
    ///
    /// Its bytes count exactly as they are, a newline at the end too. It holds a random key, from 32 bytes to 1 MiB, and no
    /// passphrase: it is hashed and not stretched. It is never made here. Without the variable or the file the answer is
    /// ``UnavailableCategory/keySourceMissing``; where the variable is no absolute path or leads nowhere, or the file is
    /// empty, too short, too long or no file, ``UnavailableCategory/keySourceUnavailable``.
    ///
    /// - Parameter name: The name of the credential.
    /// - Returns: The source.
    public static func systemdCredential(_ name: String) -> KeySource {
        KeySource(SystemdCredentialSource(name: name))
    }

    /// A random key in the kernel's memory.
    ///
    /// It ends with the next boot, or with the session, and then nothing opens the vault but its other keys: this is for
    /// secrets that may be lost, and ``Protection/durability-swift.property`` says so. The key is made by the first write,
    /// or by `create()`, when neither it nor a vault exists. Programs of this user can read it.
    ///
    /// - Parameter keyring: The keyring that holds the key.
    /// - Returns: The source.
    public static func kernelKeyring(_ keyring: KernelKeyring = .user) -> KeySource {
        KeySource(KernelKeyringSource(keyring: keyring))
    }

    /// The same key, with this machine's id mixed in where a slot is made for it.
    ///
    /// A copy of the vault then does not open on another machine, not even with the key, and answers
    /// ``UnavailableCategory/keySourceUnavailable``. That is no protection from somebody who copies the machine id too:
    /// the id is no secret on its machine. A slot that exists already stays as it is.
    ///
    /// - Returns: The source. On a machine without an id, making a slot for it is refused with
    ///   ``UnavailableCategory/keySourceUnavailable``.
    public func boundToThisMachine() -> KeySource {
        var source = self
        source.isMachineBound = true
        return source
    }
}

extension KeySource: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of source.
    public var description: String { "KeySource(\(provider.kind.name))" }
    /// The kind of source.
    public var debugDescription: String { description }
    /// The kind only.
    public var customMirror: Mirror { Mirror(self, children: ["kind": provider.kind.name]) }
}

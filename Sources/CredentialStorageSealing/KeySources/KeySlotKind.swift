package import CredentialStorage

/// A kind of key slot: its number in the file, its name, and how its key is reached.
///
/// To add a kind: add a row to ``all`` and a file beside `KeyFileSource.swift` whose type conforms to
/// ``KeyProvider``, and give ``KeySource`` a static member that makes it.
package struct KeySlotKind: Sendable, Equatable {
    /// The number in the file.
    ///
    /// A number is never used again for something else.
    package let number: UInt8
    /// As the command line spells it.
    package let name: String
    /// As `protection` reports it.
    package let source: Protection.Source
    /// Whether what the source gives is a passphrase, to be stretched, or a 32-byte key.
    package let isPassphrase: Bool

    package static let passphrase = KeySlotKind(
        number: 1, name: "passphrase", source: .passphrase, isPassphrase: true)
    package static let keyFile = KeySlotKind(
        number: 2, name: "key-file", source: .keyFile, isPassphrase: false)

    /// Every kind that this version can open.
    ///
    /// Slots of other kinds are kept and skipped.
    package static let all: [KeySlotKind] = [.passphrase, .keyFile]

    package static func named(by number: UInt8) -> KeySlotKind? { all.first { $0.number == number } }
}

/// What a key source is told about the store that asks.
package struct KeyRequest: Sendable {
    package let service: ServiceName
    package let environment: Environment
    package let fileSystem: any FileSystem
    package let randomness: any Randomness
    /// Where the store's own files are; a key of its own making must not stand there.
    package let dataDirectory: String
    /// The paths of the store's own files; no key may be read from there or made there.
    package let ownFiles: [String]
    /// Set by a source that made the key which it gives.
    package let isMade = Locked(false)

    package init(
        service: ServiceName,
        environment: Environment,
        fileSystem: any FileSystem,
        randomness: any Randomness,
        dataDirectory: String,
        ownFiles: [String]
    ) {
        self.service = service
        self.environment = environment
        self.fileSystem = fileSystem
        self.randomness = randomness
        self.dataDirectory = dataDirectory
        self.ownFiles = ownFiles
    }
}

/// Why a key is wanted.
package enum KeyPurpose: Sendable {
    /// A store exists; nothing may be made.
    case open
    /// A first write makes the store.
    case firstWrite
    /// The caller asked for a new store in so many words.
    case create
}

/// Where the key of a store comes from.
package protocol KeyProvider: Sendable {
    var kind: KeySlotKind { get }

    /// Gives the passphrase or the 32-byte key, never both, never a stand-in for one that is missing.
    ///
    /// A provider may make a key only on its proven absence, and only for a purpose other than
    /// ``KeyPurpose/open``. The key has reached the disk when this returns.
    func key(for purpose: KeyPurpose, _ request: KeyRequest) throws(StorageFault) -> SecureBuffer

    /// The path of the file that the key is looked for in, or `nil` where it is in no file.
    func place(_ request: KeyRequest) -> String?

    /// Whether the key is had at once: nobody is asked, and nothing is waited for.
    var isImmediate: Bool { get }

    /// Takes away the key that was made for a request, because of something that failed.
    func discard(_ request: KeyRequest)
}

extension KeyProvider {
    package func place(_ request: KeyRequest) -> String? { nil }
    package var isImmediate: Bool { false }
    package func discard(_ request: KeyRequest) {}
}

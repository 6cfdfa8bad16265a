package import CredentialStorage

/// A kind of key slot: its number in the file, its name, and how its key is reached.
///
/// To add a kind: add a row here and in ``all`` and a file beside `KeyFileSource.swift` whose type conforms to
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
    /// Whether a key of this kind is always gone after the next boot.
    package let isVolatile: Bool

    private init(
        _ number: UInt8,
        _ name: String,
        _ source: Protection.Source,
        isPassphrase: Bool = false,
        isVolatile: Bool = false
    ) {
        self.number = number
        self.name = name
        self.source = source
        self.isPassphrase = isPassphrase
        self.isVolatile = isVolatile
    }

    package static let passphrase = KeySlotKind(1, "passphrase", .passphrase, isPassphrase: true)
    package static let keyFile = KeySlotKind(2, "key-file", .keyFile)
    package static let entry = KeySlotKind(3, "entry", .entry)
    package static let systemdCredential = KeySlotKind(4, "systemd-credential", .systemdCredential)
    package static let kernelKeyring = KeySlotKind(5, "kernel-keyring", .kernelKeyring, isVolatile: true)

    /// Every kind that this version can open.
    ///
    /// Slots of other kinds are kept and skipped. 7 is set aside for TPM 2.
    package static let all: [KeySlotKind] = [.passphrase, .keyFile, .entry, .systemdCredential, .kernelKeyring]

    package static func named(by number: UInt8) -> KeySlotKind? { all.first { $0.number == number } }
}

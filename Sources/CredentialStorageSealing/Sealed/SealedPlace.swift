internal import CredentialStorage

/// The name in the base of an entry whose name is sealed: `sealed-<key id>-<name hash>`.
///
/// It says under which key the name was hashed, so that entries under another key are noticed without opening any.
/// Small letters, digits and dashes, 72 bytes: every base can hold it.
struct SealedPlace: Sendable, Hashable {
    private static let prefix = "sealed-"

    let keyID: SealingKey.ID
    let hash: [UInt8]

    init(_ name: EntryKey, under key: SealingKey) {
        keyID = key.id
        hash = key.derived.nameHash(name)
    }

    /// `nil` for a name that no store of this kind gives.
    init?(_ text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let parts = text.utf8.dropFirst(Self.prefix.utf8.count)
            .split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2,
            let id = Hexadecimal.bytes(parts[0]), id.count == SealingKey.ID.length,
            let hash = Hexadecimal.bytes(parts[1]), hash.count == DerivedKeys.hashLength
        else { return nil }
        keyID = SealingKey.ID(bytes: id)
        self.hash = hash
    }

    var text: String { Self.prefix + keyID.text + "-" + Hexadecimal.text(hash) }
}

internal import CredentialStorage
internal import FoundationEssentials

/// Seals and opens records; it knows keys and bytes, and no store.
struct Sealer: Sendable {
    let keys: SealingKeys
    let names: SealedNames
    let randomness: any Randomness

    /// Whether an entry may stand at several places of the base.
    var hasSeveralPlaces: Bool { names == .sealed && !keys.others.isEmpty }

    /// The places of the base where an entry may stand: where it is written first, then those of other keys.
    func places(of name: EntryKey) -> [String] {
        names == .clear ? [name.name] : keys.all.map { SealedPlace(name, under: $0).text }
    }

    func place(of name: EntryKey) -> String {
        names == .clear ? name.name : SealedPlace(name, under: keys.current).text
    }

    func seal(_ value: Span<UInt8>, as name: EntryKey) throws(StorageFault) -> Data {
        let key = keys.current
        try MemoryRoom.check(3 * value.count)
        let plaintext = try SealedRecord.padded(value, prefix: SealedRecord.valuePrefix)
        let random = try randomness.bytes(2 * Box.nonceLength)
        let hash = key.derived.nameHash(name)

        var nameBox: (head: [UInt8], ciphertext: [UInt8]) = ([], [])
        if names == .sealed {
            let associated = Self.nameData(SealedPlace(name, under: key))
            let bytes = Array(name.name.utf8)
            let padded = try SealedRecord.padded(bytes.span, prefix: SealedRecord.namePrefix)
            nameBox = padded.withBytes { bytes in
                key.derived.seal(
                    .name, bytes, random: Array(random[Box.nonceLength...]), nameHash: hash, associatedData: associated)
            }
        }
        let head = SealedRecord.head(names, nameLength: nameBox.ciphertext.count, key.id)
        let valueBox = plaintext.withBytes { bytes in
            key.derived.seal(
                .value(names), bytes, random: Array(random[..<Box.nonceLength]), nameHash: hash,
                associatedData: Self.valueData(head, name))
        }
        var record = Data(capacity: SealedRecord.nameBoxPlace + nameBox.ciphertext.count + valueBox.ciphertext.count)
        for part in [head, SealedRecord.check(head.span), valueBox.head, nameBox.head, nameBox.ciphertext] {
            record.append(contentsOf: part)
        }
        record.append(contentsOf: valueBox.ciphertext)
        return record
    }

    /// Opens the record that stands at a place of the base for an entry of this name.
    func open(_ record: Data, at place: String, as name: EntryKey) throws(StorageFault) -> SealedRecord.Content {
        let bytes = record.span
        let (head, key) = try readHead(bytes, at: place)
        guard head.valueStart <= bytes.count else { throw .undecryptable(.damaged) }
        try MemoryRoom.check(bytes.count)
        let opened = try key.derived.open(
            .value(names), head: bytes.extracting(SealedRecord.valueHeadPlace),
            bytes.extracting(head.valueStart..<bytes.count),
            associatedData: Self.valueData((0..<SealedRecord.headLength).map { bytes[$0] }, name))
        guard let opened, let content = SealedRecord.Content(opened, prefix: SealedRecord.valuePrefix) else {
            throw .undecryptable(.damaged)
        }
        return content
    }

    /// The name that stands in a record, whatever is wrong with the value.
    func name(in record: Data, at place: SealedPlace) throws(StorageFault) -> EntryKey? {
        let bytes = record.span
        // The box proves itself, so nothing else of the record has to be sound.
        guard let key = keys.key(place.keyID), let box = SealedRecord.nameBox(bytes),
            let opened = try key.derived.open(
                .name, head: bytes.extracting(SealedRecord.nameHeadPlace), bytes.extracting(box),
                associatedData: Self.nameData(place)),
            let content = SealedRecord.Content(opened, prefix: SealedRecord.namePrefix)
        else { return nil }
        let name = content.withBytes { name in EntryKey(utf8: (0..<name.count).map { name[$0] }) }
        guard let name, SealedPlace(name, under: key) == place else { return nil }
        return name
    }

    /// Why the record at a place cannot be opened, as far as its head tells; `nil` when that says nothing.
    func trouble(with record: Data, at place: String) -> UndecryptableReason? {
        do throws(StorageFault) {
            _ = try readHead(record.span, at: place)
            return nil
        } catch {
            return error.reason
        }
    }

    /// The id of the key that a record was sealed under, if it is sound and of this kind.
    func keyID(of record: Data, at place: String) -> SealingKey.ID? {
        try? readHead(record.span, at: place).key.id
    }

    private func readHead(
        _ record: Span<UInt8>,
        at place: String
    ) throws(StorageFault) -> (head: SealedRecord.Head, key: SealingKey) {
        guard let head = SealedRecord.Head(record), head.isSound, head.version > 0 else {
            throw .undecryptable(.damaged)
        }
        guard head.version == SealedRecord.version else { throw .undecryptable(.formatTooNew) }
        guard head.kind == SealedRecord.kind(names), names == .sealed || head.nameLength == 0 else {
            throw .undecryptable(.damaged)
        }
        // A record at the place of another key was moved there.
        if names == .sealed, SealedPlace(place)?.keyID != head.keyID { throw .undecryptable(.damaged) }
        guard let key = keys.key(head.keyID) else { throw .undecryptable(keys.reason(without: head.keyID)) }
        return (head, key)
    }

    private static func valueData(_ head: [UInt8], _ name: EntryKey) -> [UInt8] { head + Array(name.name.utf8) }

    private static func nameData(_ place: SealedPlace) -> [UInt8] { Array("scr1 name\0".utf8) + Array(place.text.utf8) }
}

extension StorageFault {
    /// Why an entry cannot be read, when that is what this says.
    var reason: UndecryptableReason? {
        if case .cause(.undecryptable(let reason)) = self { reason } else { nil }
    }
}

/// Keeps the keys of a store until it is closed.
final class SealingKeyHolder: Sendable {
    private let keys: Locked<SealingKeys?>

    init(_ keys: SealingKeys) { self.keys = Locked(keys) }

    func take() throws(StorageFault) -> SealingKeys {
        // A forked child has wiped keys, and must not wait for a mutex that nobody will ever unlock.
        try ForkGuard.check()
        guard let keys = keys.withLock({ $0 }) else { throw .unavailable(.closed) }
        return keys
    }

    func close() {
        guard ForkGuard.isOriginalProcess else { return }
        keys.withLock { $0 = nil }
    }
}

internal import CredentialStorage

/// The keys that come from a sealing key, side by side in one piece of guarded memory.
final class DerivedKeys: Sendable {
    private enum Place {
        static let value = 0..<32
        static let name = 32..<64
        static let nonce = 64..<96
        static let nameHash = 96..<128
        static let end = 128
    }

    /// What a box holds.
    ///
    /// With the name it decides the associated data. The number goes into the nonce, because two boxes of one nonce
    /// and two kinds of associated data would give the key of their tags away.
    enum Content: UInt8 {
        case valueUnderClearName = 1
        case valueUnderSealedName = 2
        case name = 3

        static func value(_ names: SealedNames) -> Content {
            names == .clear ? .valueUnderClearName : .valueUnderSealedName
        }
    }

    static let hashLength = 16

    private let memory: SecureBuffer

    init(from secret: Span<UInt8>) throws(StorageFault) {
        var memory = try SecureBuffer(count: Place.end, in: .shared)
        let parts: [(StaticString, Range<Int>)] = [
            ("scr1 value", Place.value), ("scr1 name", Place.name), ("scr1 nonce", Place.nonce),
            ("scr1 name hash", Place.nameHash),
        ]
        for (context, place) in parts {
            try KeyDerivation.key(from: secret, context, []).withBytes { key in
                memory.withMutableBytes { target in
                    for index in 0..<place.count { target[place.lowerBound + index] = key[index] }
                }
            }
        }
        self.memory = memory
    }

    var isMemoryLocked: Bool { memory.isLocked }

    private func with<R>(_ place: Range<Int>, _ body: (Span<UInt8>) -> R) -> R {
        memory.withBytes { body($0.extracting(place)) }
    }

    /// Finds an entry; opening its record is what proves it.
    func nameHash(_ name: EntryKey) -> [UInt8] {
        with(Place.nameHash) { key in
            var hash = Blake2b(length: Self.hashLength, key: key)
            unsafe name.withBytes { unsafe hash.update($0.span) }
            return hash.finish()
        }
    }

    /// A nonce that repeats only for the same name and content, even where the kernel repeats its randomness.
    func nonce(random: [UInt8], _ content: Content, nameHash: [UInt8], plaintext: Span<UInt8>) -> [UInt8] {
        with(Place.nonce) { key in
            var hash = Blake2b(length: Box.nonceLength, key: key)
            hash.update(random.span)
            let kind = [content.rawValue]
            hash.update(kind.span)
            hash.update(nameHash.span)
            hash.update(plaintext)
            return hash.finish()
        }
    }

    /// Nonce, tag and ciphertext of one box.
    func seal(
        _ content: Content,
        _ plaintext: Span<UInt8>,
        random: [UInt8],
        nameHash: [UInt8],
        associatedData: [UInt8]
    ) -> (head: [UInt8], ciphertext: [UInt8]) {
        var head = nonce(random: random, content, nameHash: nameHash, plaintext: plaintext)
        var tag = [UInt8](repeating: 0, count: Box.tagLength)
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        with(content == .name ? Place.name : Place.value) { key in
            unsafe ciphertext.withUnsafeMutableBufferPointer { target in
                unsafe tag.withUnsafeMutableBufferPointer { tag in
                    unsafe Box.seal(
                        plaintext, into: target.baseAddress!, tag: tag.baseAddress!, nonce: head.span,
                        associatedData: associatedData.span, key: key)
                }
            }
        }
        head += tag
        return (head, ciphertext)
    }

    /// Opens a box into locked memory.
    ///
    /// - Returns: `nil` when it is not the one that was sealed.
    func open(
        _ content: Content,
        head: Span<UInt8>,
        _ ciphertext: Span<UInt8>,
        associatedData: [UInt8]
    ) throws(StorageFault) -> SecureBuffer? {
        let plaintext = try SecureBuffer(count: ciphertext.count, in: .shared)
        let target = unsafe plaintext.address.assumingMemoryBound(to: UInt8.self)
        let isSound = with(content == .name ? Place.name : Place.value) { key in
            unsafe Box.open(
                ciphertext, into: target, tag: head.extracting(Box.nonceLength..<Box.nonceLength + Box.tagLength),
                nonce: head.extracting(0..<Box.nonceLength), associatedData: associatedData.span, key: key)
        }
        guard isSound else { return nil }
        return plaintext
    }
}

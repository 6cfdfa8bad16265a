internal import CredentialStorage
internal import CredentialStorageSealing

/// Finds the name of an entry whose box does not open.
///
/// The name stands at the start of the box, and the cipher is a stream, so the first bytes can be decrypted without
/// the tag. They are believed only if their keyed hash is the one that the frame states: 128 bits that nobody
/// without the key can match. Where the damage itself hit the nonce or the name, every change of a single byte
/// is tried; the hash tells when the right one was found.
struct NameRecovery {
    let keys: VaultKeys
    let hash: Bytes16

    /// Longer names are looked for as they stand only, so that the work stays within milliseconds.
    private static let longestSearched = 128

    func name(nonce: [UInt8], ciphertext: [UInt8]) -> EntryKey? {
        let plain = peek(ciphertext, nonce)
        if let found = check(plain) { return found }
        if let found = searchName(plain) { return found }
        var nonce = nonce
        let start = Array(ciphertext.prefix(Layout.plaintextPrefix + Self.longestSearched))
        for place in nonce.indices {
            let original = nonce[place]
            for candidate in UInt8.min...UInt8.max where candidate != original {
                nonce[place] = candidate
                let plain = peek(start, nonce)
                if let found = check(plain) { return found }
            }
            nonce[place] = original
        }
        return nil
    }

    private func peek(_ ciphertext: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
        var plain = [UInt8](repeating: 0, count: ciphertext.count)
        unsafe plain.withUnsafeMutableBufferPointer { target in
            unsafe keys.peek(ciphertext.span, into: target.baseAddress!, nonce: nonce.span)
        }
        return plain
    }

    private func check(_ plain: [UInt8]) -> EntryKey? {
        guard plain.count >= Layout.plaintextPrefix else { return nil }
        return check(plain, length: Int(plain.span.load(UInt16.self, at: 0)))
    }

    private func check(_ plain: [UInt8], length: Int) -> EntryKey? {
        let end = Layout.plaintextPrefix + length
        guard length > 0, length <= EntryKey.maximumLength, end <= plain.count else { return nil }
        guard keys.nameHash(plain.span.extracting(Layout.plaintextPrefix..<end)) == hash else { return nil }
        return EntryKey(utf8: plain[Layout.plaintextPrefix..<end])
    }

    private func searchName(_ plain: [UInt8]) -> EntryKey? {
        guard plain.count >= Layout.plaintextPrefix else { return nil }
        // The length itself may be what was hit.
        for length in 1...Self.longestSearched {
            if let found = check(plain, length: length) { return found }
        }
        let length = Int(plain.span.load(UInt16.self, at: 0))
        guard (1...Self.longestSearched).contains(length) else { return nil }
        var plain = plain
        for place in Layout.plaintextPrefix..<min(Layout.plaintextPrefix + length, plain.count) {
            let original = plain[place]
            for candidate in UInt8.min...UInt8.max where candidate != original {
                plain[place] = candidate
                if let found = check(plain, length: length) { return found }
            }
            plain[place] = original
        }
        return nil
    }
}

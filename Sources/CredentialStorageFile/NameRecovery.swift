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

    /// Changes inside longer names are not searched for, so that the work stays within milliseconds.
    private static let longestSearched = 256

    /// Finds the name; without `searching` only as the bytes stand.
    func name(nonce: [UInt8], ciphertext: [UInt8], searching: Bool) -> EntryKey? {
        let plain = peek(ciphertext, nonce)
        if let found = check(plain) { return found }
        guard searching else { return nil }
        if let found = searchName(plain) { return found }
        var nonce = nonce
        let start = Array(ciphertext.prefix(Layout.plaintextPrefix))
        for place in nonce.indices {
            let original = nonce[place]
            for candidate in UInt8.min...UInt8.max where candidate != original {
                nonce[place] = candidate
                // Most candidates give an impossible length at once.
                guard isPossible(peek(start, nonce), ciphertext.count) else { continue }
                if let found = check(peek(ciphertext, nonce)) { return found }
            }
            nonce[place] = original
        }
        return nil
    }

    private func isPossible(_ start: [UInt8], _ count: Int) -> Bool {
        guard start.count == Layout.plaintextPrefix else { return false }
        let length = Int(start.span.load(UInt16.self, at: 0))
        return length > 0 && length <= EntryKey.maximumLength && Layout.plaintextPrefix + length <= count
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
        for length in 1...EntryKey.maximumLength {
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

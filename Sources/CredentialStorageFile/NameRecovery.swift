internal import CredentialStorage
internal import CredentialStorageSealing

/// Finds the name of an entry whose box does not open.
///
/// The name stands at the start of the box, and the cipher is a stream, so the first bytes can be decrypted without
/// the tag. They are believed only if their keyed hash is the one that the frame states: 128 bits that nobody
/// without the key can match. Where the damage itself hit the nonce or the name, every change of a single byte
/// is tried; the hash tells when the right one was found.
struct NameRecovery {
    /// How hard to look.
    enum Effort: Sendable {
        /// Only at the bytes as they stand.
        case asIs
        /// Under every single change of the name and its length: for a frame whose nonce is authentic.
        case changedName
        /// Under every single change of the nonce too.
        case changedNonce
    }

    let keys: VaultKeys
    let hash: Bytes16
    /// What is decrypted goes here: behind a name stands a part of its value.
    let arena: SecureArena

    /// Changes inside longer names are not searched for, so that the work stays within milliseconds.
    private static let longestSearched = 256

    func name(
        nonce: [UInt8],
        ciphertext: Span<UInt8>,
        _ effort: Effort
    ) throws(StorageFault) -> EntryKey? {
        guard ciphertext.count >= Layout.plaintextPrefix, nonce.count == Box.nonceLength else { return nil }
        let plain = try SecureBuffer(count: ciphertext.count, in: arena)
        let start = unsafe plain.address.assumingMemoryBound(to: UInt8.self)
        var nonce = nonce
        // Tens of thousands of candidates: the addresses are taken once, and nothing is allocated in between.
        let length = unsafe nonce.withUnsafeMutableBufferPointer { nonce in
            unsafe ciphertext.withUnsafeBufferPointer { ciphertext in
                unsafe keys.withNameKeys { valueKey, nameKey in
                    let search = unsafe Search(
                        plain: start, nonce: nonce.baseAddress!, ciphertext: ciphertext.baseAddress!,
                        count: plain.count, valueKey: valueKey, nameKey: nameKey, hash: hash)
                    return unsafe search.run(effort, longest: Self.longestSearched)
                }
            }
        }
        guard let length else { return nil }
        return plain.withBytes {
            EntryKey(utf8: $0.array(Layout.plaintextPrefix..<Layout.plaintextPrefix + length))
        }
    }
}

/// The addresses that a search works on; they outlive it.
@unsafe
private struct Search {
    let plain: UnsafeMutablePointer<UInt8>
    let nonce: UnsafeMutablePointer<UInt8>
    let ciphertext: UnsafePointer<UInt8>
    let count: Int
    let valueKey: UnsafePointer<UInt8>
    let nameKey: UnsafePointer<UInt8>
    let hash: Bytes16

    private var name: UnsafeMutablePointer<UInt8> { unsafe plain + Layout.plaintextPrefix }
    private var statedLength: Int { unsafe Int(plain[0]) | Int(plain[1]) << 8 }

    /// Leaves the name in `plain` and gives its length, or `nil`.
    func run(_ effort: NameRecovery.Effort, longest: Int) -> Int? {
        unsafe decrypt(count)
        if unsafe isName(statedLength) { return unsafe statedLength }
        guard effort != .asIs else { return nil }
        // The length itself may be what was hit.
        for length in unsafe 1...max(1, min(EntryKey.maximumLength, count - Layout.plaintextPrefix))
        where unsafe isName(length) {
            return length
        }
        let length = unsafe statedLength
        if length <= longest, unsafe isPossible(length) {
            for place in 0..<length {
                if unsafe changes(name + place, { unsafe isName(length) }) { return length }
            }
        }
        guard effort == .changedNonce else { return nil }
        for place in 0..<Box.nonceLength {
            let isFound = unsafe changes(nonce + place) {
                // Most candidates give an impossible length at once.
                unsafe decrypt(Layout.plaintextPrefix)
                guard unsafe isPossible(statedLength) else { return false }
                unsafe decrypt(Layout.plaintextPrefix + statedLength)
                return unsafe isName(statedLength)
            }
            if isFound { return unsafe statedLength }
        }
        return nil
    }

    /// Tries every other value of a byte, and puts the old one back unless one fits.
    private func changes(_ byte: UnsafeMutablePointer<UInt8>, _ fits: () -> Bool) -> Bool {
        let original = unsafe byte.pointee
        for candidate in UInt8.min...UInt8.max where candidate != original {
            unsafe byte.pointee = candidate
            if fits() { return true }
        }
        unsafe byte.pointee = original
        return false
    }

    private func isPossible(_ length: Int) -> Bool {
        unsafe length > 0 && length <= EntryKey.maximumLength && Layout.plaintextPrefix + length <= count
    }

    private func isName(_ length: Int) -> Bool {
        guard unsafe isPossible(length) else { return false }
        var digest: (UInt64, UInt64) = (0, 0)
        unsafe withUnsafeMutableBytes(of: &digest) { target in
            unsafe SipHash.hash(
                name, count: length, key: nameKey, into: target.baseAddress!.assumingMemoryBound(to: UInt8.self))
        }
        return unsafe UInt64(littleEndian: digest.0) == hash.first && UInt64(littleEndian: digest.1) == hash.second
    }

    private func decrypt(_ length: Int) {
        unsafe Box.peek(ciphertext, count: length, into: plain, nonce: nonce, key: valueKey)
    }
}

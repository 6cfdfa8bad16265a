internal import CredentialStorage
internal import CredentialStorageSealing

/// The keys that come from the data key, side by side in one piece of guarded memory.
final class VaultKeys: Sendable {
    private enum Place {
        static let value = 0..<32
        static let nonce = 32..<64
        static let nameHash = 64..<80
        static let frame = 80..<96
        static let index = 96..<112
        static let record = 112..<128
        static let end = 128
    }

    let fileID: Bytes16
    private let memory: SecureBuffer

    init(
        dataKey: borrowing SecureBuffer,
        fileID: Bytes16,
        dataKeyNumber: UInt32,
        arena: SecureArena
    ) throws(StorageFault) {
        self.fileID = fileID
        var data = fileID.bytes
        data.append(dataKeyNumber)
        var memory = try SecureBuffer(count: Place.end, in: arena)
        try dataKey.withBytes { (secret) throws(StorageFault) in
            let parts: [(StaticString, Range<Int>)] = [
                ("scv1 value", Place.value), ("scv1 nonce", Place.nonce), ("scv1 name hash", Place.nameHash),
                ("scv1 frame", Place.frame), ("scv1 index", Place.index), ("scv1 record", Place.record),
            ]
            for (context, place) in parts {
                try KeyDerivation.key(from: secret, context, data).withBytes { key in
                    memory.withMutableBytes { target in
                        for index in 0..<place.count { target[place.lowerBound + index] = key[index] }
                    }
                }
            }
        }
        self.memory = memory
    }

    private func with<R>(_ place: Range<Int>, _ body: (Span<UInt8>) -> R) -> R {
        memory.withBytes { body($0.extracting(place)) }
    }

    private func siphash(_ place: Range<Int>, _ bytes: Span<UInt8>) -> Bytes16 {
        with(place) { key in
            var result: (UInt64, UInt64) = (0, 0)
            unsafe withUnsafeMutableBytes(of: &result) { target in
                unsafe SipHash.hash(
                    bytes, key: key, into: target.baseAddress!.assumingMemoryBound(to: UInt8.self))
            }
            return Bytes16(first: UInt64(littleEndian: result.0), second: UInt64(littleEndian: result.1))
        }
    }

    /// It finds; it does not prove: after opening, the name inside is compared with the name that was asked for.
    func nameHash(_ name: Span<UInt8>) -> Bytes16 { siphash(Place.nameHash, name) }

    func nameHash(_ key: EntryKey) -> Bytes16 { unsafe key.withBytes { unsafe nameHash($0.span) } }

    func recordMAC(_ bytes: Span<UInt8>) -> Bytes16 { siphash(Place.record, bytes) }

    /// The MAC of a head at its place: over log id, offset and head bytes 0…95.
    func frameMAC(_ head: Span<UInt8>, logID: Bytes16, offset: Int) -> Bytes16 {
        unsafe withUnsafeTemporaryAllocation(byteCount: 120, alignment: 8) { buffer in
            unsafe buffer.storeBytes(of: logID.first.littleEndian, toByteOffset: 0, as: UInt64.self)
            unsafe buffer.storeBytes(of: logID.second.littleEndian, toByteOffset: 8, as: UInt64.self)
            unsafe buffer.storeBytes(of: UInt64(offset).littleEndian, toByteOffset: 16, as: UInt64.self)
            unsafe head.withUnsafeBytes { source in
                unsafe buffer.baseAddress!.advanced(by: 24).copyMemory(from: source.baseAddress!, byteCount: 96)
            }
            return unsafe siphash(Place.frame, UnsafeBufferPointer(buffer.bindMemory(to: UInt8.self)).span)
        }
    }

    func isAuthentic(_ head: Span<UInt8>, logID: Bytes16, offset: Int) -> Bool {
        frameMAC(head, logID: logID, offset: offset) == Bytes16(head, at: FrameHead.macPlace.lowerBound)
    }

    /// A nonce that repeats only for the same name and value, even where the kernel repeats its randomness.
    func nonce(random: [UInt8], kind: FrameKind, nameHash: Bytes16, plaintext: Span<UInt8>) -> [UInt8] {
        with(Place.nonce) { key in
            var hash = Blake2b(length: Box.nonceLength, key: key)
            hash.update(random.span)
            hash.update([kind.rawValue].span)
            hash.update(nameHash.bytes.span)
            hash.update(plaintext)
            return hash.finish()
        }
    }

    func seal(
        _ plaintext: Span<UInt8>,
        into ciphertext: UnsafeMutablePointer<UInt8>,
        tag: UnsafeMutablePointer<UInt8>,
        nonce: [UInt8],
        nameHash: Bytes16
    ) {
        with(Place.value) { key in
            withAssociatedData(nameHash) { data in
                unsafe Box.seal(
                    plaintext, into: ciphertext, tag: tag, nonce: nonce.span, associatedData: data, key: key)
            }
        }
    }

    func open(
        _ ciphertext: Span<UInt8>,
        into plaintext: UnsafeMutablePointer<UInt8>,
        head: Span<UInt8>,
        nameHash: Bytes16
    ) -> Bool {
        with(Place.value) { key in
            withAssociatedData(nameHash) { data in
                unsafe Box.open(
                    ciphertext, into: plaintext, tag: head.extracting(FrameHead.tagPlace),
                    nonce: head.extracting(FrameHead.noncePlace), associatedData: data, key: key)
            }
        }
    }

    /// The keys for sealing and for name hashes, by address, for a search that uses them very often.
    func withNameKeys<R>(_ body: (_ value: UnsafePointer<UInt8>, _ name: UnsafePointer<UInt8>) -> R) -> R {
        memory.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { keys in
                let start = keys.baseAddress!
                return unsafe body(start + Place.value.lowerBound, start + Place.nameHash.lowerBound)
            }
        }
    }

    /// `"SCV1" ‖ kind ‖ 00 00 00 ‖ file id ‖ name hash`; only values have a box.
    private func withAssociatedData<R>(_ nameHash: Bytes16, _ body: (Span<UInt8>) -> R) -> R {
        var words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
            (0x3156_4353 | UInt64(FrameKind.value.rawValue) << 32).littleEndian,
            fileID.first.littleEndian, fileID.second.littleEndian,
            nameHash.first.littleEndian, nameHash.second.littleEndian
        )
        return unsafe withUnsafeBytes(of: &words) { raw in
            unsafe body(
                UnsafeBufferPointer(start: raw.baseAddress!.assumingMemoryBound(to: UInt8.self), count: 40).span)
        }
    }
}

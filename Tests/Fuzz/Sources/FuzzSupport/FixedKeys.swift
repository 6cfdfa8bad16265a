@testable internal import CredentialStorage
@testable internal import CredentialStorageSealing

/// "Random" bytes that are the same in each run, so that the vault and its keys are.
final class FixedRandomness: Randomness {
    private let state = Locked<UInt64>(0x9E37_79B9_7F4A_7C15)

    func fill(_ target: UnsafeMutableRawBufferPointer) {
        state.withLock { state in
            for index in target.indices {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                target[index] = UInt8(truncatingIfNeeded: state >> 32)
            }
        }
    }
}

/// A key file's key without a file.
struct FixedKey: KeyProvider {
    var kind: KeySlotKind { .keyFile }

    func key(for purpose: KeyPurpose, _ request: KeyRequest) throws(StorageFault) -> KeyMaterial {
        let bytes = [UInt8](1...32)
        return KeyMaterial(try SecureBuffer(copying: bytes.span, in: .shared))
    }
}

/// A passphrase that nobody may be asked for where a file demands too much work.
struct CountedPassphrase: KeyProvider {
    let asked = Locked(0)

    var kind: KeySlotKind { .passphrase }

    func key(for purpose: KeyPurpose, _ request: KeyRequest) throws(StorageFault) -> KeyMaterial {
        asked.withLock { $0 += 1 }
        let bytes = Array("passphrase".utf8)
        return KeyMaterial(try SecureBuffer(copying: bytes.span, in: .shared))
    }
}

import CredentialStorage

/// "Random" bytes that count: 00, 01, 02 …, over all draws.
final class CountingRandomness: Randomness {
    private let next = Locked<UInt8>(0)

    func fill(_ target: UnsafeMutableRawBufferPointer) {
        next.withLock { next in
            for index in target.indices {
                target[index] = next
                next &+= 1
            }
        }
    }
}

internal import CCredentialShims
internal import Glibc

/// The seam to the source of random bytes.
package protocol Randomness: Sendable {
    func fill(_ target: UnsafeMutableRawBufferPointer) throws(StorageFault)
}

/// The kernel's randomness, drawn afresh for each call: a pool would repeat after a fork or a restored machine.
package struct SystemRandomness: Randomness {
    package init() {}

    package func fill(_ target: UnsafeMutableRawBufferPointer) throws(StorageFault) {
        guard let start = target.baseAddress else { return }
        guard unsafe ccs_random(start, target.count) == 0 else { throw .system(errno) }
    }
}

extension Randomness {
    package func bytes(_ count: Int) throws(StorageFault) -> [UInt8] {
        let start = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { unsafe start.deallocate() }
        unsafe try fill(start)
        return unsafe Array(start)
    }
}

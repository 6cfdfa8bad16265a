internal import CredentialStorage
internal import Glibc

/// Reading whole inputs into guarded memory.
enum Input {
    /// Why an input could not be read.
    enum Problem: Error {
        case tooLong
        case system(Int32)
    }

    /// Reads to the end.
    ///
    /// Not more than one byte beyond the limit is ever taken.
    static func readAll(from descriptor: Int32, limit: Int) throws(Problem) -> SecureBuffer {
        var buffer = SecureBuffer(count: min(8192, limit + 1))
        var filled = 0
        while true {
            if filled == buffer.count {
                let larger = SecureBuffer(count: min(2 * filled, limit + 1))
                unsafe larger.address.copyMemory(from: buffer.address, byteCount: filled)
                buffer = larger
            }
            let count = unsafe read(descriptor, buffer.address + filled, buffer.count - filled)
            if count > 0 {
                filled += count
                guard filled <= limit else { throw .tooLong }
            } else if count == 0 {
                return buffer.prefix(filled)
            } else if errno == EAGAIN {
                waitUntilReady(descriptor, POLLIN)
            } else if errno != EINTR {
                throw .system(errno)
            }
        }
    }
}

extension SecureBuffer {
    /// A copy of the first bytes.
    consuming func prefix(_ length: Int) -> SecureBuffer {
        if length == count { return self }
        let part = SecureBuffer(count: length)
        unsafe part.address.copyMemory(from: address, byteCount: length)
        return part
    }
}

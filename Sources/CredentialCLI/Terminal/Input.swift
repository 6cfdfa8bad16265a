internal import CredentialStorage
internal import Glibc

/// Reading whole inputs into guarded memory.
enum Input {
    /// Why an input could not be read.
    enum Problem: Error {
        case tooLong
        case noMemory
        case system(Int32)
    }

    /// Reads to the end.
    ///
    /// Not more than one byte beyond the limit is ever taken.
    static func readAll(from descriptor: Int32, limit: Int) throws(Problem) -> SecureBuffer {
        var buffer = try room(min(8192, limit + 1))
        var filled = 0
        while true {
            if filled == buffer.count {
                let larger = try room(min(2 * filled, limit + 1))
                unsafe larger.address.copyMemory(from: buffer.address, byteCount: filled)
                buffer = larger
            }
            let count = unsafe read(descriptor, buffer.address + filled, buffer.count - filled)
            if count > 0 {
                filled += count
                guard filled <= limit else { throw .tooLong }
            } else if count == 0 {
                do throws(StorageFault) { return try buffer.prefix(filled) } catch { throw .noMemory }
            } else if errno == EAGAIN {
                waitUntilReady(descriptor, POLLIN)
            } else if errno != EINTR {
                throw .system(errno)
            }
        }
    }

    private static func room(_ count: Int) throws(Problem) -> SecureBuffer {
        do throws(StorageFault) { return try SecureBuffer(count: count, in: .shared) } catch { throw .noMemory }
    }
}

extension SecureBuffer {
    /// A copy of the first bytes.
    consuming func prefix(_ length: Int) throws(StorageFault) -> SecureBuffer {
        if length == count { return self }
        let part = try SecureBuffer(count: length, in: .shared)
        unsafe part.address.copyMemory(from: address, byteCount: length)
        return part
    }
}

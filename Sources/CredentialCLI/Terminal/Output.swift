internal import CredentialStorage
internal import Glibc

/// A descriptor that takes all bytes or says why not.
final class Output: Sendable {
    let descriptor: Int32
    private let tellsOfChange = Locked(false)

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// From now on the output only tells of what was done, and a failure says that it was.
    func tellOfChange() { tellsOfChange.withLock { $0 = true } }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func write(_ text: String) throws(Failure) { try write(Array(text.utf8).span) }

    func write(_ bytes: Span<UInt8>) throws(Failure) {
        // An empty value must find an open output too.
        if bytes.isEmpty, unsafe Glibc.write(descriptor, "", 0) < 0, errno != EAGAIN, errno != EINTR {
            throw failure(errno)
        }
        let failure = unsafe bytes.withUnsafeBytes { unsafe Self.writeAll($0, to: descriptor) }
        if let failure { throw self.failure(failure) }
    }

    /// Some file systems report a full disk no sooner than here.
    func close() throws(Failure) {
        guard Glibc.close(descriptor) != 0, errno != EBADF, errno != EINTR else { return }
        throw failure(errno)
    }

    private func failure(_ number: Int32) -> Failure {
        tellsOfChange.withLock { $0 } ? .outputOfChange(number) : .output(number)
    }

    /// Writes to standard error; when that fails there is nobody left to tell.
    static func report(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe writeAll($0, to: STDERR_FILENO) }
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var rest = unsafe bytes[...]
        while !(unsafe rest.isEmpty) {
            let piece = unsafe UnsafeRawBufferPointer(rebasing: rest)
            let count = unsafe Glibc.write(descriptor, piece.baseAddress, piece.count)
            if count >= 0 {
                unsafe rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                waitUntilReady(descriptor, POLLOUT)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

/// Waits for a descriptor that another program made non-blocking.
func waitUntilReady(_ descriptor: Int32, _ events: Int32) {
    var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    _ = unsafe poll(&waiting, 1, -1)
}

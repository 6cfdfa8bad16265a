internal import CCredentialShims
internal import CredentialStorage
internal import Glibc

/// A question on a terminal whose answer is not shown.
struct Terminal {
    private let descriptor: Int32

    /// The terminal behind standard input, or `nil` when that is none.
    static var standardInput: Terminal? { behind(STDIN_FILENO) }

    /// The terminal behind an open descriptor, or `nil` when something else is.
    static func behind(_ descriptor: Int32) -> Terminal? {
        isatty(descriptor) == 1 ? Terminal(descriptor: descriptor) : nil
    }

    /// The terminal at a path, or `nil` when something else is there.
    static func at(_ path: String) -> Terminal? {
        var status = ccs_status()
        // Looked at first, because whoever writes into a pipe would notice that it is opened.
        guard unsafe ccs_status_at(path, 1, &status) == 0, status.mode & S_IFMT == S_IFCHR else { return nil }
        let descriptor = unsafe ccs_open(path, O_RDWR | O_NOCTTY, 0)
        guard descriptor >= 0, behind(descriptor) == nil else { return behind(descriptor) }
        close(descriptor)
        return nil
    }

    /// The terminal that controls this process, whatever standard input is.
    static var controlling: Terminal? {
        let descriptor = unsafe ccs_open("/dev/tty", O_RDWR | O_NOCTTY, 0)
        return descriptor >= 0 ? Terminal(descriptor: descriptor) : standardInput
    }

    /// A terminal hands over lines of at most this many bytes and drops what goes beyond.
    private static let lineLimit = 4095

    /// Reads one line without its newline.
    func ask(_ question: StaticString) throws -> SecureBuffer {
        let line = try SecureBuffer(count: Self.lineLimit, in: .shared)
        while true {
            show(question.description)
            var signal: Int32 = 0
            let count = unsafe ccs_read_hidden_line(descriptor, line.address, line.count, &signal)
            if count == Int64(Self.lineLimit) {
                throw Failure.usage("The line may be longer than a terminal hands over, so use a pipe or a file.")
            }
            if count >= 0 { return try line.prefix(Int(count)) }
            let reason = errno
            if reason != EINTR { show("\n") }
            switch (reason, signal) {
            case (EINTR, SIGTSTP):
                show("\n")
                raise(SIGTSTP)
            case (EINTR, 0): continue
            case (EINTR, _):
                show("\n")
                throw Failure.signal(signal)
            case (ENODATA, _), (EIO, _): throw StorageFault.unavailable(.promptDismissed)
            case (EMSGSIZE, _):
                throw Failure.usage("The line may be longer than a terminal hands over, so use a pipe or a file.")
            default: throw Failure.input(reason)
            }
        }
    }

    /// Says what is about to happen, and gives whether a person typed `yes`.
    func confirm(_ consequence: StaticString) throws -> Bool {
        show("\(consequence) Type yes to go on: ")
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < Self.lineLimit {
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            line.append(byte)
        }
        return line.elementsEqual("yes".utf8)
    }

    /// Writes where the answer is read, so that a redirected standard error does not hide the question.
    private func show(_ text: String) {
        let canWrite = fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDWR
        guard canWrite, (try? Output(descriptor: descriptor).write(text)) != nil else { return Output.report(text) }
    }
}

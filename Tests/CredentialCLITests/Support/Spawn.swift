import Glibc

/// What a program was given, and how.
struct Launch {
    /// What stands behind a standard descriptor.
    enum Stream {
        case closed
        case file(String, Int32)
        case descriptor(Int32)
    }

    var program: String
    var arguments: [[UInt8]]
    var environment: [String]
    var input: Stream = .file("/dev/null", O_RDONLY)
    var output: Stream
    var error: Stream
    /// A session of its own, whose first terminal becomes the controlling one.
    var ownSession = false

    /// Starts the program and gives its process number.
    func start() throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, error)] {
            switch stream {
            case .closed: unsafe posix_spawn_file_actions_addclose(&actions, number)
            case .file(let path, let flags):
                unsafe posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o644)
            case .descriptor(let source): unsafe posix_spawn_file_actions_adddup2(&actions, source, number)
            }
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        unsafe sigfillset(&defaults)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        // The threads of a test block most signals, and a program inherits that.
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        let (setSignalDefaults, setSignalMask, newSession): (Int16, Int16, Int16) = (0x04, 0x08, 0x80)
        let flags = setSignalDefaults | setSignalMask | (ownSession ? newSession : 0)
        unsafe posix_spawnattr_setflags(&attributes, flags)

        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([Array(program.utf8)] + arguments).map { unsafe copy($0) }
        unsafe words.append(nil)
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe copy(Array($0.utf8)) }
        unsafe variables.append(nil)
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, program, &actions, &attributes, words, variables)
        guard failure == 0 else { throw TestProblem("posix_spawn: \(failure)") }
        return process
    }

    private func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        unsafe (bytes + [0]).withUnsafeBytes { unsafe strdup($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
    }
}

/// Waits for a process and gives its exit code, or 128 and the number of the signal that ended it.
func exitCode(of process: pid_t) throws -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 {
        guard errno == EINTR else { throw TestProblem("waitpid: \(errno)") }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
}

/// Something that a test needs is not as it should be.
struct TestProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The whole content of a file.
func bytes(ofFile path: String) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TestProblem("open for reading: \(errno)") }
    defer { close(descriptor) }
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = unsafe read(descriptor, &piece, piece.count)
        guard count >= 0 else { throw TestProblem("read: \(errno)") }
        if count == 0 { return all }
        all += piece[..<count]
    }
}

/// Makes a file with this content and mode, or replaces what it holds.
func write(_ bytes: [UInt8], toFile path: String, mode: mode_t = 0o600) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw TestProblem("open for writing: \(errno)") }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = unsafe Array(rest).withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { throw TestProblem("write: \(errno)") }
        rest = rest.dropFirst(count)
    }
}

internal import FoundationEssentials
internal import Glibc

/// A program that this one started.
struct Child {
    private(set) var process: pid_t = 0

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - input: What it reads.
    ///   - output: Where its standard output goes; `nil` for nowhere.
    ///   - errors: Whether what it says on standard error is shown.
    /// - Throws: When it cannot be started.
    init(_ command: [String], input: Int32? = nil, output: Int32? = nil, errors: Bool = true) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, source, flags) in [(0, input, O_RDONLY), (1, output, O_WRONLY)] {
            if let source {
                posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
            } else {
                posix_spawn_file_actions_addopen(&actions, Int32(target), "/dev/null", flags, 0)
            }
        }
        if !errors { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        // This program blocks the signals that it waits for; a child must not.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let status = posix_spawnp(&process, command[0], &actions, &attributes, &arguments, environ)
        try check(status == 0, "\(command[0]) cannot be started")
    }

    /// Waits for its end; the exit status, or 128 and the number of the signal.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
    }

    func signal(_ number: Int32) { kill(process, number) }

    /// Ends it.
    func end() {
        signal(SIGTERM)
        _ = wait()
    }
}

/// A pipe whose ends no other child keeps.
struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        try check(pipe(&ends) == 0, "no pipe")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    /// One line, or what stands before the end; `nil` at the end.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(reading, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return line.isEmpty && byte != UInt8(ascii: "\n") ? nil : String(decoding: line, as: UTF8.self)
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(writing, bytes, bytes.count)
    }

    func closeWriting() { close(writing) }

    func closeReading() { close(reading) }
}

/// A command that is ended when this program is, and after this many seconds.
func guarded(_ command: [String], seconds: Int? = nil) -> [String] {
    let limit = seconds.map { ["timeout", "-k", "1", String($0)] } ?? []
    return ["setpriv", "--pdeathsig", "TERM"] + limit + command
}

/// Runs a program to its end and gives each line that it prints to `body`.
func runProgram(_ command: [String], within seconds: Int, _ body: (String) throws -> Void) throws {
    let pipe = try Pipe()
    let child = try Child(guarded(command, seconds: seconds), output: pipe.writing)
    pipe.closeWriting()
    defer { pipe.closeReading() }
    var failure: (any Error)?
    while let line = pipe.readLine() {
        do { try body(line) } catch { failure = failure ?? error }
    }
    let status = child.wait()
    if let failure { throw failure }
    try check(status == 0, status == 124 ? "took longer than \(seconds) s" : "ended with \(status)")
}

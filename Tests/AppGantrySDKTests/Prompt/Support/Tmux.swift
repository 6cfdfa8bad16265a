import CredentialTestSupport
import Foundation
import Glibc

/// A real terminal with the subject on it.
final class Tmux {
    static let isThere = access("/usr/bin/tmux", X_OK) == 0

    private let directory: TemporaryDirectory
    private let events: Int32
    private let subject: String
    private var socket: String { "\(directory.path)/tmux" }

    /// Starts the subject with these words, as a job of a shell that writes down the modes before and after.
    init(
        program name: String = "PromptSubject", columns: Int = 80, rows: Int = 24, _ words: String...,
        redirect: String = "", environment: [String: String] = [:]
    ) throws {
        directory = try TemporaryDirectory()
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        subject = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent(name).path
        let fifo = "\(directory.path)/events"
        guard mkfifo(fifo, 0o600) == 0 else { throw TerminalProblem("mkfifo: \(errno)") }
        events = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard events >= 0 else { throw TerminalProblem("open of a fifo: \(errno)") }
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let variables = environment.map { "export \($0.key)='\($0.value)'" }.joined(separator: "\n")
        // Job control, so that the subject has the terminal as from a person's shell and can be stopped.
        let script = """
            set -m
            trap : INT
            \(variables)
            export SWIFT_BACKTRACE=enable=no
            tmux -S '\(socket)' wait-for go
            stty -g >'\(directory.path)/before'
            sh -c 'echo $$ >"\(directory.path)/process"; exec "$0" "$@"' '\(subject)' \(quoted) \(redirect)
            code=$?
            stty -g >'\(directory.path)/after'
            while [ $code = 148 ]; do
                echo "stopped"
                read line
                if [ "$line" = b ]; then
                    bg
                    echo "behind"
                    read line
                fi
                fg
                code=$?
            done
            echo "exit $code"
            cat
            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: "\(directory.path)/script"))
        try run(
            "-f", "/dev/null", "-u", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
            "bash '\(directory.path)/script'")
        try run("pipe-pane", "exec cat >'\(fifo)'")
        try run("wait-for", "-S", "go")
    }

    deinit {
        _ = try? run("kill-server")
        close(events)
    }

    /// What can be seen.
    var screen: String { get throws { try run("capture-pane", "-p") } }

    /// What can be seen, with a mark before each attribute.
    var styledScreen: String { get throws { try run("capture-pane", "-p", "-e") } }

    func value(_ format: String) throws -> String {
        try run("display-message", "-p", format).trimmingCharacters(in: .newlines)
    }

    /// Presses keys, named as tmux names them.
    func press(_ keys: String...) throws { for key in keys { try run("send-keys", key) } }

    func resize(columns: Int, rows: Int) throws { try run("resize-window", "-x", "\(columns)", "-y", "\(rows)") }

    func send(_ signal: Int32) throws {
        let text = try String(contentsOfFile: "\(directory.path)/process", encoding: .utf8)
        guard let process = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw TerminalProblem("no process")
        }
        kill(process, signal)
    }

    /// Waits until what can be seen is as wanted, looking at it again whenever something was written.
    @discardableResult
    func wait(until isThere: (String) -> Bool) throws -> String {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let seen = try screen
            if isThere(seen) { return seen }
            guard ContinuousClock.now < end else { throw TerminalProblem("waited in vain; the screen shows:\n\(seen)") }
            // Not longer than a second: a change of size alone writes nothing.
            var waiting = pollfd(fd: events, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, 1000)
            var bytes = [UInt8](repeating: 0, count: 4096)
            while read(events, &bytes, bytes.count) > 0 {}
        }
    }

    @discardableResult
    func wait(for text: String) throws -> String { try wait { $0.contains(text) } }

    /// Waits for the end of the subject, and gives what it and its shell have written.
    func ending() throws -> String { try wait { $0.contains("exit ") } }

    /// Whether the modes after the first time that the subject ended or was stopped are those from before it, and the
    /// screen is the usual one.
    var isGivenBack: Bool {
        get throws {
            let before = try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/before"))
            let after = try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/after"))
            return try before == after && !before.isEmpty && value("#{alternate_on}") == "0"
        }
    }

    /// Not by Foundation, which waits until the last process that came of it has ended, and the server stays.
    @discardableResult
    private func run(_ words: String...) throws -> String {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let output = "\(directory.path)/output"
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let libraries = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? ""
        let variables = [
            "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=\(directory.path)", "SHELL=/bin/sh",
            "LD_LIBRARY_PATH=\(libraries)",
        ]
        let arguments = (["tmux", "-S", socket] + words).map { strdup($0) }
        let environment = variables.map { strdup($0) }
        defer { (arguments + environment).forEach { free($0) } }
        // The threads of a test block most signals, and a program inherits that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, 0x08)
        var process: pid_t = 0
        let failure = posix_spawn(
            &process, "/usr/bin/tmux", &actions, &attributes, arguments + [nil], environment + [nil])
        guard failure == 0 else { throw TerminalProblem("posix_spawn: \(failure)") }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw TerminalProblem("waitpid: \(errno)") }
        }
        let text = try String(decoding: Data(contentsOf: URL(fileURLWithPath: output)), as: UTF8.self)
        guard status == 0 else { throw TerminalProblem("tmux \(words): \(text)") }
        return text
    }
}

struct TerminalProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

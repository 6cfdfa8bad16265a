import Glibc

/// A terminal that a test plays the person at.
final class PseudoTerminal {
    private let master: Int32
    /// The path that the tool opens.
    let path: String
    private(set) var shown: [UInt8] = []

    init() throws {
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0 else { throw TestProblem("open of a pseudo-terminal: \(errno)") }
        var unlocked: Int32 = 0
        var number: UInt32 = 0
        // The numbers of TIOCSPTLCK and TIOCGPTN, which Swift does not import.
        guard unsafe ioctl(master, 0x4004_5431, &unlocked) == 0, unsafe ioctl(master, 0x8004_5430, &number) == 0 else {
            throw TestProblem("ioctl of a pseudo-terminal: \(errno)")
        }
        path = "/dev/pts/\(number)"
    }

    deinit { close(master) }

    var text: String { String(decoding: shown, as: UTF8.self) }

    /// Reads what the tool writes until the text has come.
    func wait(for text: String, times: Int = 1) throws {
        var piece = [UInt8](repeating: 0, count: 4096)
        while occurrences(of: text) < times {
            var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&waiting, 1, 30_000) == 1 else { throw TestProblem("the terminal stayed silent") }
            let count = unsafe read(master, &piece, piece.count)
            guard count > 0 else { throw TestProblem("the terminal ended: \(errno)") }
            shown += piece[..<count]
        }
    }

    private func occurrences(of text: String) -> Int {
        let wanted = Array(text.utf8)
        return shown.indices.count { shown[$0...].starts(with: wanted) }
    }

    /// Types.
    func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard unsafe write(master, bytes, bytes.count) == bytes.count else { throw TestProblem("write: \(errno)") }
    }

    /// Whether the terminal shows what is typed.
    var echoes: Bool {
        get throws {
            var state = termios()
            guard unsafe tcgetattr(master, &state) == 0 else { throw TestProblem("tcgetattr: \(errno)") }
            return state.c_lflag & tcflag_t(ECHO) != 0
        }
    }

    /// Waits until the tool has switched the echo off, so that what is typed next is not shown.
    func waitUntilHidden() throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        while try echoes {
            guard clock.now < end else { throw TestProblem("the echo stayed on") }
            sched_yield()
        }
    }

    /// Takes what is there already.
    func drain() {
        var piece = [UInt8](repeating: 0, count: 4096)
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&waiting, 1, 0) == 1 {
            let count = unsafe read(master, &piece, piece.count)
            guard count > 0 else { return }
            shown += piece[..<count]
        }
    }
}

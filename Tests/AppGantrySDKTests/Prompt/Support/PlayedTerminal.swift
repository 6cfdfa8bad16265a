import CredentialStorage
import Glibc

@testable import AppGantrySDK

/// A terminal that the test itself plays, so that it can answer what a prompt asks it.
final class PlayedTerminal: @unchecked Sendable {
    // Unchecked because one thread plays and others only hand the descriptors on.
    let master: Int32
    let slave: Int32
    private(set) var shown: [UInt8] = []

    init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0 else { throw TerminalProblem("open of a pseudo-terminal: \(errno)") }
        var unlocked: Int32 = 0
        // TIOCSPTLCK, and TIOCGPTPEER, which opens the other side.
        guard ioctl(master, 0x4004_5431, &unlocked) == 0 else { throw TerminalProblem("unlock: \(errno)") }
        slave = ioctl(master, 0x5441, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw TerminalProblem("the other side: \(errno)") }
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: columns * 10, ws_ypixel: rows * 20)
        guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw TerminalProblem("size: \(errno)") }
    }

    deinit {
        close(slave)
        hangUp()
    }

    private var isHungUp = false

    /// The person has closed the window.
    func hangUp() {
        if !isHungUp { close(master) }
        isHungUp = true
    }

    var place: UpdatePromptView.Terminal { .init(input: slave, output: slave) }
    var text: String { String(decoding: shown, as: UTF8.self) }

    /// Asks on this terminal, whatever the environment of the tests is.
    func ask(_ content: UpdatePromptContent, kind: String = "xterm") async -> UpdatePromptView.Outcome {
        let environment = Environment { $0 == "TERM" ? kind : nil }
        return await PromptRun(content: content, terminal: place, environment: environment).outcome()
    }

    func type(_ text: String) { _ = write(master, text, text.utf8.count) }

    /// Reads what is written until the text has come.
    func wait(for text: String) throws {
        let wanted = Array(text.utf8)
        var piece = [UInt8](repeating: 0, count: 65536)
        while !shown.indices.contains(where: { shown[$0...].starts(with: wanted) }) {
            var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 30_000) == 1 else { throw TerminalProblem("no \(text.debugDescription)") }
            let count = read(master, &piece, piece.count)
            guard count > 0 else { throw TerminalProblem("the terminal ended: \(errno)") }
            shown += piece[..<count]
        }
    }

    /// Forgets what was shown so far.
    func forget() { shown = [] }

    /// Reads what is there already.
    func drain() {
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 0) == 1 else { return }
            let count = read(master, &piece, piece.count)
            guard count > 0 else { return }
            shown += piece[..<count]
        }
    }

    /// The modes, to compare.
    var modes: [UInt32] {
        var state = termios()
        tcgetattr(slave, &state)
        return [state.c_iflag, state.c_oflag, state.c_lflag, state.c_cflag]
    }

    /// What a program that reads next would find.
    var unread: Int {
        var state = termios()
        tcgetattr(slave, &state)
        var raw = state
        raw.c_lflag &= ~tcflag_t(ICANON)
        tcsetattr(slave, TCSANOW, &raw)
        defer { tcsetattr(slave, TCSANOW, &state) }
        var count: Int32 = 0
        _ = ioctl(slave, UInt(FIONREAD), &count)
        return Int(count)
    }
}

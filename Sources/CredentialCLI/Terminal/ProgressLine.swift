internal import CredentialStorage
internal import Glibc

/// A line on a terminal that says how far long work is; short work and other outputs get none.
final class ProgressLine {
    private let what: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private let start = CoarseClock.milliseconds()
    private var last: Int64 = 0
    private var width = 0

    init(_ what: String) { self.what = what }

    func show(_ done: Int, of total: Int) {
        guard isShown else { return }
        let now = CoarseClock.milliseconds()
        guard now - start >= 500, now - last >= 100 else { return }
        last = now
        let text = "\(done) of \(total) \(what)"
        Output.report("\r\(text)\(String(repeating: " ", count: max(0, width - text.utf8.count)))")
        width = text.utf8.count
    }

    /// Takes the line away.
    func end() {
        if width > 0 { Output.report("\r\(String(repeating: " ", count: width))\r") }
        width = 0
    }
}

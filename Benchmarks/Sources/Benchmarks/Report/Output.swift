internal import Glibc

/// Writes a line to standard output at once, whatever that is.
func say(_ line: String) { put(line + "\n", 1) }

/// Writes text for the person who waits.
func note(_ text: String) { put(text, 2) }

private func put(_ text: String, _ file: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        if written <= 0 { return }
        bytes = bytes.dropFirst(written)
    }
}

/// Tells how far the run is: on a terminal in one line that is written over.
struct Progress {
    let jobs: Int
    private let isTerminal = isatty(2) == 1

    init(jobs: Int) { self.jobs = jobs }

    func show(_ number: Int, _ job: Job, run: Int, of runs: Int) {
        let size = "\(Table.grouped(job.size.entries)) x \(Table.grouped(job.size.valueBytes)) B"
        let text = "[\(number)/\(jobs)] \(job.part.name), \(size), run \(run) of \(runs)"
        note(isTerminal ? "\r\u{1B}[K\(text)" : text + "\n")
    }

    func clear() {
        if isTerminal { note("\r\u{1B}[K") }
    }
}

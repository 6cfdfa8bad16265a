internal import FoundationEssentials
internal import Glibc

/// All that a run found out, as it is written.
struct Results: Codable {
    var machine: Machine
    var date: String
    var isQuick: Bool
    /// How often each job ran; each figure is the median of these.
    var runs: Int
    var figures: [Summary] = []
    var leads: [Verdict] = []

    func figure(_ subject: Subject, _ operation: Operation, _ entries: Int, _ valueBytes: Int = 64) -> Summary? {
        let point = Point(subject: subject, operation: operation, entries: entries, valueBytes: valueBytes)
        return figures.first { $0.point == point }
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(filePath: path))
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

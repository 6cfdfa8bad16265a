internal import FoundationEssentials

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

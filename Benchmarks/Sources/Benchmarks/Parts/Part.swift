/// A piece of the benchmark.
///
/// Each job of it runs in a process of its own, several times.
struct Part: Sendable {
    let name: String
    /// The sizes that it is measured with.
    let sizes: @Sendable (Plan) -> [Size]
    /// The longest that one run may take, in seconds.
    let seconds: Int
    let work: @Sendable (Bench) throws -> Void

    /// All of them, in the order in which they run.
    static let all: [Part] = [
        Part(name: "writes", sizes: { $0.grid() }, seconds: 900, work: measureWrites),
        Part(name: "flatness", sizes: { _ in [Size(100_000, 64)] }, seconds: 120, work: measureFlatness),
        Part(name: "reads", sizes: { $0.grid() }, seconds: 600, work: measureReads),
        Part(name: "bulk", sizes: { $0.grid(quick: Plan.quickBulk) }, seconds: 600, work: measureBulk),
        Part(name: "open", sizes: { $0.grid() }, seconds: 600, work: measureOpening),
        Part(name: "size", sizes: { $0.grid() }, seconds: 600, work: measureSize),
        Part(name: "memory-store", sizes: { $0.grid() }, seconds: 120, work: measureMemoryStore),
        Part(name: "secret-service", sizes: { $0.keyringSizes }, seconds: 900, work: measureSecretService),
        Part(name: "python", sizes: { $0.smallKeyringSizes }, seconds: 300, work: measurePython),
        Part(name: "program", sizes: { _ in [Size(1000, 64)] }, seconds: 120, work: measurePrograms),
        Part(name: "libsecret-file", sizes: { $0.smallKeyringSizes }, seconds: 300, work: measureLibsecretFile),
        Part(name: "deadline", sizes: { _ in [Size(10, 64)] }, seconds: 60, work: measureDeadline),
    ]
}

/// How many entries of which size.
struct Size: Hashable {
    let entries: Int
    let valueBytes: Int

    init(_ entries: Int, _ valueBytes: Int) {
        self.entries = entries
        self.valueBytes = valueBytes
    }

    var bytes: Int { entries * valueBytes }
}

/// Which jobs there are.
struct Plan {
    var isQuick = false
    var entries: [Int]?
    var valueBytes: [Int]?
    /// The most bytes of values in one store.
    var largestStore = 1 << 30

    static let quickBulk = [Size(10_000, 64), Size(100_000, 64), Size(1000, 4096)]

    /// Every number of entries with every size of value; for a quick run these alone.
    func grid(quick: [Size] = [Size(1000, 64), Size(100_000, 64)]) -> [Size] {
        if isQuick, entries == nil, valueBytes == nil { return quick }
        return (valueBytes ?? [64, 4096, 65_536]).flatMap { bytes in
            (entries ?? [10, 1000, 10_000, 100_000]).map { Size($0, bytes) }
        }.filter { $0.bytes <= largestStore }
    }

    /// The provider rewrites its whole file at every write, so its sizes end earlier.
    var keyringSizes: [Size] { (entries ?? (isQuick ? [1000] : [10, 1000, 10_000])).map { Size($0, 64) } }

    /// Those in which a slow client can be measured.
    var smallKeyringSizes: [Size] { (entries ?? (isQuick ? [10] : [10, 1000])).map { Size($0, 64) } }
}

/// What a part works with, in its own process.
struct Bench {
    let workload: Workload
    /// A directory of its own, on the disk that is measured.
    let directory: String
    /// A directory of its own with a short path, for sockets.
    let runtime: String
    let isQuick: Bool
    /// The program `credstore`, if there is one.
    let credstore: String?
    /// Takes a figure.
    let report: (Measurement) throws -> Void

    var pace: Pace { isQuick ? .quick : .full }

    /// A pace for what takes tens of milliseconds and more each time.
    var slowPace: Pace { Pace(turns: 1, turn: .milliseconds(isQuick ? 200 : 800), samples: isQuick ? 3 : 5) }

    func point(_ subject: Subject, _ operation: Operation) -> Point {
        Point(subject: subject, operation: operation, entries: workload.entries, valueBytes: workload.valueBytes)
    }

    /// Reports what a contest gives.
    func measure(at pace: Pace? = nil, _ contenders: [Contender]) throws {
        for measurement in try contest(contenders, pace ?? self.pace) { try report(measurement) }
    }

    /// Reports a figure that is no time.
    func report(_ subject: Subject, _ operation: Operation, _ value: Double) throws {
        try report(
            Measurement(point: point(subject, operation), p50: value, p99: value, perSecond: 0, samples: 1))
    }
}

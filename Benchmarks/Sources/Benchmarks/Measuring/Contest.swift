internal import Glibc

/// The time of a clock that nobody sets, in nanoseconds.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// How long each sample took.
struct Samples {
    private var nanoseconds: [Double] = []
    private var total: Double = 0

    var count: Int { nanoseconds.count }

    mutating func add(_ time: UInt64) {
        nanoseconds.append(Double(time))
        total += Double(time)
    }

    mutating func add(_ others: Samples) {
        nanoseconds += others.nanoseconds
        total += others.total
    }

    /// The figure, where each sample was of this many operations, and each operation of this many entries.
    ///
    /// With `elapsed` the rate is over that time: several threads worked side by side.
    func measurement(_ point: Point, operations: Int = 1, entries: Int = 1, elapsed: UInt64? = nil) -> Measurement {
        let sorted = nanoseconds.sorted()
        let time = elapsed.map { Double($0) } ?? total
        return Measurement(
            point: point, p50: quantile(0.5, of: sorted) / Double(operations),
            p99: quantile(0.99, of: sorted) / Double(operations),
            perSecond: time > 0 ? Double(count * operations * entries) / time * 1e9 : 0, samples: count)
    }
}

/// One who takes part in a contest.
struct Contender {
    let point: Point
    /// How many operations one sample holds: several where one takes hardly longer than reading the clock.
    var operations = 1
    /// How many entries one operation reads or writes.
    var entries = 1
    /// Prepares a sample, outside of the time that counts.
    var prepare: () throws -> Void = {}
    /// Does the operations of one sample.
    let work: () throws -> Void
}

/// How long a contest takes.
struct Pace {
    /// How often each contender's turn comes.
    var turns: Int
    /// How long a turn is.
    ///
    /// It ends with the sample that reaches that time.
    var turn: Duration
    /// The fewest samples of one contender, however long they take.
    var samples = 3
    /// Whether a first sample, which fills caches, does not count.
    var warms = true

    static let full = Pace(turns: 5, turn: .milliseconds(160))
    static let quick = Pace(turns: 3, turn: .milliseconds(40))
}

/// Lets all work in turns, so that what else the machine does meets all of them alike.
func contest(_ contenders: [Contender], _ pace: Pace) throws -> [Measurement] {
    var samples = contenders.map { _ in Samples() }
    for contender in contenders where pace.warms {
        try contender.prepare()
        try contender.work()
    }
    let turn = UInt64(pace.turn / .nanoseconds(1))
    var left = pace.turns
    while left > 0 || samples.contains(where: { $0.count < pace.samples }) {
        left -= 1
        for (number, contender) in contenders.enumerated() where left >= 0 || samples[number].count < pace.samples {
            let end = now() + turn
            repeat {
                try contender.prepare()
                let start = now()
                try contender.work()
                samples[number].add(now() - start)
            } while now() < end && left >= 0
        }
    }
    return zip(contenders, samples).map { contender, samples in
        samples.measurement(contender.point, operations: contender.operations, entries: contender.entries)
    }
}

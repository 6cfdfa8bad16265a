/// A figure that must be so much better than another one of the same run.
struct Lead {
    /// How the two figures are compared.
    enum Relation: String, Codable {
        /// How many times as fast the first is, by their medians.
        case speed
        /// How many times as much the first does in a second.
        case rate
        /// The 99th percentile of the first, in medians of the first.
        case tail
        /// How many times as large the first is.
        case size
        /// The bytes of an entry in the file, beside those of its name and value.
        case overhead

        /// Whether more is better.
        var isLeast: Bool { self == .speed || self == .rate }
    }

    let what: Point
    let against: Point
    let relation: Relation
    let factor: Double

    init(
        _ subject: Subject, _ operation: Operation, _ size: Size, _ relation: Relation, _ factor: Double,
        _ other: Subject, _ otherOperation: Operation? = nil, otherSize: Size? = nil
    ) {
        what = Point(subject: subject, operation: operation, entries: size.entries, valueBytes: size.valueBytes)
        let size = otherSize ?? size
        against = Point(
            subject: other, operation: otherOperation ?? operation, entries: size.entries,
            valueBytes: size.valueBytes)
        self.relation = relation
        self.factor = factor
    }

    private static let thousand = Size(1000, 64)
    private static let tenThousand = Size(10_000, 64)
    private static let hundredThousand = Size(100_000, 64)

    /// All leads that the file store and the others must have.
    static let all = writes + reads + bulk + opening + keyring

    private static let writes: [Lead] = [
        Lead(.vault, .overwrite, thousand, .speed, 1.5, .lmdb),
        Lead(.vault, .overwrite, hundredThousand, .speed, 1.5, .lmdb),
        Lead(.vault, .insert, thousand, .speed, 1.5, .lmdb),
        Lead(.vault, .insert, hundredThousand, .speed, 1.5, .lmdb),
        Lead(.vault, .overwrite, thousand, .speed, 1.3, .sqlcipher),
        Lead(.vault, .overwrite, hundredThousand, .speed, 1.3, .sqlcipher),
        Lead(.vault, .overwrite, thousand, .speed, 0.85, .append, .append),
        Lead(.vault, .overwrite, hundredThousand, .speed, 0.85, .append, .append),
        Lead(.vault, .overwrite8, thousand, .rate, 7, .lmdb),
        Lead(.vault, .overwrite32, thousand, .rate, 12, .lmdb),
        Lead(.vault, .overwriteFlat, hundredThousand, .speed, 0.9, .vault, otherSize: Size(10, 64)),
        Lead(.vault, .overwriteFlat, hundredThousand, .tail, 2.5, .vault),
        Lead(.vault, .batch, thousand, .speed, 1, .lmdb),
        Lead(.vault, .batch, hundredThousand, .speed, 1, .lmdb),
    ]

    private static let reads: [Lead] = [
        Lead(.vault, .withSecret, thousand, .speed, 1, .lmdb, .get),
        Lead(.vault, .withSecret, hundredThousand, .speed, 0.9, .lmdb, .get),
        Lead(.vault, .withSecret, thousand, .speed, 0.6, .libsodium, .unseal),
        Lead(.vault, .withSecret, hundredThousand, .speed, 0.4, .libsodium, .unseal),
        Lead(.vault, .get, thousand, .speed, 0.7, .lmdb),
        Lead(.vault, .get, hundredThousand, .speed, 0.7, .lmdb),
        Lead(.vault, .twoThreads, thousand, .rate, 1.7, .vault, .oneThread),
        Lead(.vault, .twoThreads, hundredThousand, .rate, 1.7, .vault, .oneThread),
        Lead(.memory, .withSecret, thousand, .speed, 0.5, .dictionary, .get),
    ]

    private static let bulk: [Lead] = [
        Lead(.vault, .readAll, tenThousand, .speed, 1.3, .lmdb),
        Lead(.vault, .readAll, hundredThousand, .speed, 1.3, .lmdb),
        Lead(.vault, .getAll, tenThousand, .speed, 0.6, .lmdb, .readAll),
        Lead(.vault, .getAll, hundredThousand, .speed, 0.6, .lmdb, .readAll),
        Lead(.vault, .readAll, Size(1000, 4096), .rate, 0.75, .libsodium, .unsealTwoThreads),
        Lead(.vault, .readAll, Size(10_000, 4096), .rate, 0.75, .libsodium, .unsealTwoThreads),
    ]

    private static let opening: [Lead] = [
        Lead(.vault, .open, thousand, .speed, 0.7, .lmdb),
        Lead(.vault, .open, hundredThousand, .speed, 0.7, .lmdb),
        Lead(.vault, .size, thousand, .overhead, 160, .vault),
        Lead(.vault, .size, hundredThousand, .overhead, 160, .vault),
        Lead(.vault, .memory, hundredThousand, .size, 2, .vault, .size),
        Lead(.credstore, .program, thousand, .speed, 2, .secretTool),
    ]

    private static let keyring: [Lead] = [
        Lead(.secretService, .get, thousand, .speed, 2, .libsecret),
        Lead(.secretService, .get, thousand, .speed, 0.8, .rawBus),
        Lead(.secretService, .readAllFirst, thousand, .speed, 6, .libsecret, .readAll),
        Lead(.secretService, .readAll, thousand, .speed, 15, .libsecret),
        Lead(.secretService, .readAll, thousand, .speed, 0.8, .rawBus),
        Lead(.secretService, .readAll, tenThousand, .speed, 0.7, .rawBus),
        Lead(.secretService, .overwrite, thousand, .speed, 0.9, .rawBus),
        Lead(.secretService, .overwrite, thousand, .speed, 0.9, .rawBus, .createItem),
        Lead(.heldVault, .overwrite, thousand, .speed, 50, .libsecret),
        Lead(.heldVault, .overwrite, tenThousand, .speed, 500, .libsecret),
    ]
}

/// How a lead came out.
struct Verdict: Codable {
    let what: Point
    let against: Point
    let relation: Lead.Relation
    let factor: Double
    /// The median of the runs' ratios; absent where one side was not measured.
    let ratio: Double?
    let isMet: Bool?

    init(_ lead: Lead, _ figures: [Point: [Measurement]]) {
        (what, against, relation, factor) = (lead.what, lead.against, lead.relation, lead.factor)
        let runs = zip(figures[lead.what] ?? [], figures[lead.against] ?? [])
        let ratios = runs.map { Self.ratio($0, $1, lead) }
        ratio = ratios.isEmpty ? nil : median(ratios)
        isMet = ratio.map { lead.relation.isLeast ? $0 >= lead.factor : $0 <= lead.factor }
    }

    private static func ratio(_ what: Measurement, _ against: Measurement, _ lead: Lead) -> Double {
        switch lead.relation {
        case .speed: against.p50 / what.p50
        case .rate: what.perSecond / against.perSecond
        case .tail: what.p99 / what.p50
        case .size: what.p50 / against.p50
        case .overhead:
            what.p50 / Double(lead.what.entries) - Double(Workload.name(0).utf8.count + lead.what.valueBytes)
        }
    }
}

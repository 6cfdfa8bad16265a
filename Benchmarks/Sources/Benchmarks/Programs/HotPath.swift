internal import CredentialStorage
internal import CredentialStorageFile
internal import FoundationEssentials
internal import Glibc

/// An operation of the file store whose instructions are counted.
enum HotPath: String, CaseIterable {
    case withSecret
    case get
    case set
    case readAll
    case open

    /// How often it is done in the shorter of two counted runs.
    var rounds: Int {
        switch self {
        case .withSecret, .get: 2000
        case .set: 200
        case .readAll, .open: 5
        }
    }

    static let workload = Workload(entries: 1000, valueBytes: 64)

    /// The process that is counted: opens the vault that is there, and does this so many times.
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 3, let path = HotPath(rawValue: arguments[0]), let rounds = Int(arguments[1]) else {
            throw Failure("hot-path NAME ROUNDS DIRECTORY")
        }
        let names = workload.names
        let value = workload.value(1)
        let store = Vaults.open(in: arguments[2])
        try check(store.get(names[0]) != nil, "the vault has no entries")
        for round in 0..<rounds {
            let name = names[workload.order[round & 8191]]
            switch path {
            case .withSecret: try check(store.withSecret(forKey: name) { $0?.count == 64 }, "reads wrongly")
            case .get: try check(store.get(name)?.count == 64, "reads wrongly")
            case .set: try store.set(value, forKey: name)
            case .readAll: try check(store.readAll().entries.count == 1000, "readAll is not complete")
            case .open:
                let fresh = Vaults.open(in: arguments[2])
                try check(fresh.get(name)?.count == 64, "reads wrongly")
                fresh.close()
            }
        }
    }
}

/// Counts the instructions of the hot paths, which are the same on a busy machine, and compares them with limits.
enum Instructions {
    private static var limits: String { Package.folder + "/thresholds.json" }

    /// Prints each count.
    ///
    /// - Parameter writing: Whether the limits become what was counted and a tenth more.
    /// - Throws: When one is over its limit, or could not be counted.
    static func check(writing: Bool) throws {
        let work = try WorkDirectory(in: Package.folder + "/.build")
        defer { work.remove() }
        let directory = try work.fresh().directory
        try Vaults.make(HotPath.workload, in: directory).close()
        // Debian 12's valgrind stops at what today's compilers write for debuggers.
        let program = directory + "/program"
        try runProgram(["strip", "--strip-debug", "-o", program, ownProgram], within: 60) { _ in }
        let wanted = writing ? [:] : try read()
        var counts: [String: Int] = [:]
        var over: [String] = []
        for path in HotPath.allCases {
            let few = try count(program, path, path.rounds, directory)
            let many = try count(program, path, 3 * path.rounds, directory)
            let each = (many - few) / (2 * path.rounds)
            counts[path.rawValue] = each
            let limit = wanted[path.rawValue]
            if let limit, each > limit { over.append(path.rawValue) }
            if limit == nil, !writing { over.append(path.rawValue) }
            let text = limit.map { "at most \($0)" } ?? ""
            say(Table.line([path.rawValue, "\(each) instructions", text], [-12, 24, 20]))
        }
        if writing { try write(counts.mapValues { $0 + $0 / 10 }) }
        if !over.isEmpty { throw Failure("over the limit of thresholds.json, or without one: \(over)") }
    }

    /// The instructions of a whole process.
    private static func count(_ program: String, _ path: HotPath, _ rounds: Int, _ directory: String) throws -> Int {
        let log = directory + "/valgrind.log"
        // Else the order of dictionaries, and with it the count, is another one each time.
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        let command = [
            "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=" + log, program,
            "hot-path", path.rawValue, String(rounds), directory,
        ]
        try runProgram(command, within: 300) { _ in }
        for line in contents(log).split(separator: "\n") where line.contains("Collected") {
            if let number = line.split(separator: " ").last.flatMap({ Int($0) }) { return number }
        }
        throw Failure("valgrind counted nothing")
    }

    private static func read() throws -> [String: Int] {
        try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: URL(filePath: limits)))
    }

    private static func write(_ counts: [String: Int]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(counts) + Data("\n".utf8)).write(to: URL(filePath: limits))
    }
}

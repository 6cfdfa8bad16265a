internal import FoundationEssentials
internal import Glibc

/// One part with one size.
///
/// It runs in a process of its own, so that none finds the memory or the connections of another.
struct Job {
    let part: Part
    let size: Size

    /// Runs it once.
    func measure(_ work: WorkDirectory, isQuick: Bool, credstore: String?) throws -> [Measurement] {
        let (directory, runtime) = try work.fresh()
        defer { work.empty() }
        var command = [
            ownProgram, "job", part.name, String(size.entries), String(size.valueBytes), directory, runtime,
            isQuick ? "quick" : "full",
        ]
        if let credstore { command.append(credstore) }
        var measured: [Measurement] = []
        try runProgram(command, within: part.seconds) { line in
            measured.append(try JSONDecoder().decode(Measurement.self, from: Data(line.utf8)))
        }
        return measured
    }

    /// The process of a job: prints each measurement as a line of JSON.
    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 6, let part = Part.all.first(where: { $0.name == arguments[0] }),
            let entries = Int(arguments[1]), let bytes = Int(arguments[2])
        else { throw Failure("job PART ENTRIES BYTES DIRECTORY RUNTIME quick|full [CREDSTORE]") }
        let bench = Bench(
            workload: Workload(entries: entries, valueBytes: bytes), directory: arguments[3], runtime: arguments[4],
            isQuick: arguments[5] == "quick", credstore: arguments.count > 6 ? arguments[6] : nil,
            report: { measurement in
                say(String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self))
            })
        try part.work(bench)
    }
}

/// The directories of a run, which go away with it.
final class WorkDirectory: Sendable {
    let path: String
    private let runtime: String

    init(in parent: String) throws {
        path = parent + "/run-\(getpid())"
        // A socket's path is short.
        var template = Array("/tmp/benchmark-XXXXXX".utf8CString)
        try check(mkdtemp(&template) != nil, "no temporary directory")
        runtime = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        try makeDirectory(path)
        try removeOnSignal(path, runtime)
    }

    /// Two directories that are new: for files, and for sockets.
    func fresh() throws -> (directory: String, runtime: String) {
        try makeDirectory(path + "/job")
        try makeDirectory(runtime + "/job")
        return (path + "/job", runtime + "/job")
    }

    func empty() {
        try? FileManager.default.removeItem(atPath: path + "/job")
        try? FileManager.default.removeItem(atPath: runtime + "/job")
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.removeItem(atPath: runtime)
    }
}

/// Removes directories when the user or the system ends this program.
private func removeOnSignal(_ paths: String...) throws {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    try startThread { [signals] in
        var (signals, number) = (signals, Int32(0))
        sigwait(&signals, &number)
        for path in paths { try? FileManager.default.removeItem(atPath: path) }
        _exit(128 + number)
    }
}

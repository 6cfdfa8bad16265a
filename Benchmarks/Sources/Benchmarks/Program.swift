internal import FoundationEssentials
internal import Glibc

/// Runs every job and tells what came out.
///
/// Other forms of the command line are this program's own: a job in a process of its own, a subject of one figure, and
/// the hot paths whose instructions are counted.
@main
enum Program {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch arguments.first {
            case "--help", "-h": say(Options.help)
            case "job": try Job.run(Array(arguments.dropFirst()))
            case "subject": try beSubject(Array(arguments.dropFirst()))
            case "hot-path": try HotPath.run(Array(arguments.dropFirst()))
            case "instructions": try Instructions.check(writing: arguments.contains("--write"))
            default: try measureAll(Options(arguments))
            }
        } catch {
            note("failed: \(error)\n")
            exit(1)
        }
    }

    private static func measureAll(_ options: Options) throws {
        let credstore = try options.credstore ?? (options.needsSetup ? setUp() : nil)
        let work = try WorkDirectory(in: options.directory ?? Package.folder + "/.build")
        defer { work.remove() }
        var results = Results(
            machine: Machine(directory: work.path), date: Date().ISO8601Format(), isQuick: options.plan.isQuick,
            runs: options.runs)
        let jobs = Part.all.filter { options.only.isEmpty || options.only.contains($0.name) }
            .flatMap { part in part.sizes(options.plan).map { Job(part: part, size: $0) } }
        let progress = Progress(jobs: jobs.count)
        var figures: [Point: [Measurement]] = [:]
        var failures: [String] = []

        say(Table.heading)
        for (number, job) in jobs.enumerated() {
            var order: [Point] = []
            for run in 1...options.runs {
                progress.show(number + 1, job, run: run, of: options.runs)
                do {
                    let measured = try job.measure(work, isQuick: options.plan.isQuick, credstore: credstore)
                    for measurement in measured {
                        let point = measurement.point
                        // Where two parts measure the same, the first one's figure stands.
                        if figures[point] == nil { order.append(point) }
                        if order.contains(point) { figures[point, default: []].append(measurement) }
                    }
                } catch {
                    failures.append("\(job.part.name), \(job.size.entries) x \(job.size.valueBytes) B: \(error)")
                }
            }
            progress.clear()
            let summaries = order.map { Summary($0, figures[$0] ?? []) }
            results.figures += summaries
            for summary in summaries { say(Table.row(summary)) }
        }
        try tell(&results, figures, failures, options)
    }

    private static func tell(
        _ results: inout Results, _ figures: [Point: [Measurement]], _ failures: [String], _ options: Options
    ) throws {
        results.leads = Lead.all.map { Verdict($0, figures) }
        say("\n" + Table.verdictHeading)
        for verdict in results.leads where verdict.ratio != nil || !options.isPartial { say(Table.row(verdict)) }
        let folder = Package.folder + "/results"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try results.write(to: "\(folder)/\(options.resultName).json")
        say("\nwritten: Benchmarks/results/\(options.resultName).json")
        if !options.isPartial {
            let plots = "plots" + (options.plan.isQuick ? "/quick" : "")
            try Plots.draw(results, into: "\(Package.folder)/\(plots)")
            say("drawn: Benchmarks/\(plots)/")
        }
        if results.machine.load > 0.3 {
            say("The machine was not quiet when this began (load \(Table.fixed(results.machine.load, 2))).")
        }
        for failure in failures { note("not measured: \(failure)\n") }
        if !failures.isEmpty { throw Failure("\(failures.count) runs were not complete") }
    }

    /// Installs the peers that are missing and builds the program that is measured as a whole.
    ///
    /// - Returns: The built `credstore`.
    private static func setUp() throws -> String {
        var last = ""
        try runProgram([Package.root + "/scripts/bench-setup"], within: 3600) { line in
            last = line
            note(line + "\n")
        }
        try check(FileManager.default.isExecutableFile(atPath: last), "the setup made no credstore")
        return last
    }
}

/// Where this package is.
///
/// It is run where it was built.
enum Package {
    static let folder = URL(filePath: #filePath).appending(path: "../../..").standardized.path
    static let root = URL(filePath: folder).appending(path: "..").standardized.path
}

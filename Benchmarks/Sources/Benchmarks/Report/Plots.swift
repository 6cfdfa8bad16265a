internal import FoundationEssentials

/// The plots that the README shows.
enum Plots {
    private static let entries = [10, 1000, 10_000, 100_000]

    /// Draws each plot that the results have figures for.
    static func draw(_ results: Results, into directory: String) throws {
        let all: [(String, String?)] = [
            ("writes", writes(results)), ("reads", reads(results)), ("open", opening(results)),
            ("bulk", bulk(results)), ("secret-service", secretService(results)),
        ]
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (name, drawing) in all {
            guard let drawing else { continue }
            try Data(drawing.utf8).write(to: URL(filePath: "\(directory)/\(name).svg"))
        }
    }

    /// The figures of these subjects and operations at each place.
    private static func series(
        _ rows: [(Subject, [(Operation, Int, Int)])], _ results: Results, _ value: (Summary) -> Double
    ) -> [Plot.Series] {
        rows.compactMap { subject, places in
            let points = places.enumerated().compactMap { place, figure -> (place: Int, value: Double)? in
                results.figure(subject, figure.0, figure.1, figure.2).map { (place, value($0)) }
            }
            return points.isEmpty ? nil : Plot.Series(name: subject.rawValue, points: points)
        }
    }

    private static func byEntries(_ operation: Operation) -> [(Operation, Int, Int)] {
        entries.map { (operation, $0, 64) }
    }

    private static func writes(_ results: Results) -> String? {
        let size = [10_000, 1000, 100_000].first { results.figure(.vault, .overwrite, $0) != nil } ?? 1000
        let many = [(Operation.overwrite, size, 64), (.overwrite8, size, 64), (.overwrite32, size, 64)]
        let rows: [(Subject, [(Operation, Int, Int)])] = [
            (.vault, many), (.lmdb, many), (.sqlite, many), (.sqlcipher, many), (.blob, many),
            (.append, [(.append, size, 64)]),
        ]
        let found = series(rows, results, \.perSecond)
        if found.isEmpty { return nil }
        return Plot(
            title: "Durable writes by number of writers",
            unit: "writes a second, \(Table.grouped(size)) entries of 64 B; more is better",
            places: ["1 writer", "8 writers", "32 writers"], series: found, label: Table.count
        ).bars()
    }

    private static func reads(_ results: Results) -> String? {
        let rows =
            [(Subject.vault, byEntries(.withSecret))]
            + PeerStore.all.map { ($0, byEntries(.get)) } + [(.libsodium, byEntries(.unseal))]
        return byEntries(
            "Warm reads by number of entries", "time of one read of 64 B; less is better",
            series(rows, results, \.p50))
    }

    private static func opening(_ results: Results) -> String? {
        byEntries(
            "Open a store and read one entry", "time with a fresh object, entries of 64 B; less is better",
            series(([.vault] + PeerStore.all).map { ($0, byEntries(.open)) }, results, \.p50))
    }

    private static func byEntries(_ title: String, _ unit: String, _ series: [Plot.Series]) -> String? {
        if series.isEmpty { return nil }
        return Plot(
            title: title, unit: unit, places: entries.map { Table.grouped($0) + " entries" }, series: series,
            label: Table.time
        ).lines()
    }

    private static func bulk(_ results: Results) -> String? {
        let places = [(10_000, 64), (100_000, 64), (1000, 4096)]
        let rows = ([.vault] + PeerStore.all).map { subject in
            (subject, places.map { (Operation.readAll, $0.0, $0.1) })
        }
        let found = series(rows, results, \.perSecond)
        if found.isEmpty { return nil }
        return Plot(
            title: "Reading everything", unit: "entries a second; more is better",
            places: places.map { "\(Table.grouped($0.0)) x \($0.1) B" }, series: found, label: Table.count
        ).bars()
    }

    private static func secretService(_ results: Results) -> String? {
        let operations = [(Operation.get, 1000, 64), (.overwrite, 1000, 64), (.readAll, 1000, 64)]
        let rows: [(Subject, [(Operation, Int, Int)])] = [
            (.secretService, operations), (.libsecret, operations), (.rawBus, operations),
            (.keyringPython, operations), (.secretStoragePython, operations),
        ]
        let found = series(rows, results, \.p50)
        if found.isEmpty { return nil }
        return Plot(
            title: "Secret Service calls, gnome-keyring with 1000 entries", unit: "time of one call; less is better",
            places: ["read one", "write one", "read all"], series: found, label: Table.time
        ).bars()
    }
}

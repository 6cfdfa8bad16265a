/// Text for people.
enum Table {
    static func line(_ columns: [String], _ widths: [Int]) -> String {
        zip(columns, widths).map { text, width in
            let room = String(repeating: " ", count: max(0, abs(width) - text.count))
            return width < 0 ? text + room : room + text
        }.joined(separator: "  ")
    }

    private static let widths = [-30, -34, 8, 6, 9, 9, 9, 7]

    static let heading =
        line(["who", "what", "entries", "bytes", "p50", "p99", "a second", "spread"], widths)

    static func row(_ summary: Summary) -> String {
        let point = summary.point
        let figure = point.operation.isBytes ? bytes : time
        let low = summary.runs.min() ?? 0
        return line(
            [
                point.subject.rawValue, point.operation.rawValue, grouped(point.entries), grouped(point.valueBytes),
                figure(summary.p50), figure(summary.p99), summary.perSecond > 0 ? count(summary.perSecond) : "",
                low > 0 ? fixed((summary.runs.max() ?? 0) / low, 2) : "",
            ], widths)
    }

    private static let verdictWidths = [-62, -50, 8, 12, -12]

    static let verdictHeading = line(["lead", "against", "ratio", "wanted", ""], verdictWidths)

    static func row(_ verdict: Verdict) -> String {
        let against =
            switch verdict.relation {
            case .tail: "its own p50, at p99"
            case .overhead: "its name and value, bytes more"
            case .speed, .rate, .size: name(verdict.against, beside: verdict.what)
            }
        let digits = verdict.relation == .overhead ? 0 : 2
        return line(
            [
                name(verdict.what), against, verdict.ratio.map { fixed($0, digits) } ?? "",
                (verdict.relation.isLeast ? ">= " : "<= ") + fixed(verdict.factor, digits),
                verdict.isMet.map { $0 ? "met" : "NOT MET" } ?? "not measured",
            ], verdictWidths)
    }

    private static func name(_ point: Point, beside other: Point? = nil) -> String {
        var text = "\(point.subject.rawValue): \(point.operation.rawValue)"
        if point.entries != other?.entries { text += ", \(grouped(point.entries))" }
        if point.valueBytes != other?.valueBytes, point.valueBytes != 64 { text += " x \(grouped(point.valueBytes)) B" }
        return text
    }

    static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1000: significant(nanoseconds) + " ns"
        case ..<1_000_000: significant(nanoseconds / 1000) + " µs"
        case ..<1_000_000_000: significant(nanoseconds / 1_000_000) + " ms"
        default: significant(nanoseconds / 1_000_000_000) + " s"
        }
    }

    static func bytes(_ number: Double) -> String {
        switch number {
        case ..<1000: significant(number) + " B"
        case ..<1_000_000: significant(number / 1000) + " kB"
        default: significant(number / 1_000_000) + " MB"
        }
    }

    static func count(_ number: Double) -> String {
        switch number {
        case ..<1000: significant(number)
        case ..<1_000_000: significant(number / 1000) + " k"
        default: significant(number / 1_000_000) + " M"
        }
    }

    /// Three digits that count.
    static func significant(_ number: Double) -> String {
        fixed(number, number < 10 ? 2 : number < 100 ? 1 : 0)
    }

    static func fixed(_ number: Double, _ digits: Int) -> String {
        let scale = digits == 0 ? 1 : digits == 1 ? 10 : 100
        let whole = Int((number * Double(scale)).rounded())
        if digits == 0 { return String(whole) }
        let fraction = String(whole % scale)
        return "\(whole / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    static func grouped(_ number: Int) -> String {
        let digits = String(number)
        guard digits.count > 4 else { return digits }
        return digits.dropLast(3) + " " + digits.suffix(3)
    }
}

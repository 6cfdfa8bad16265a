internal import Glibc

/// A drawing in SVG.
///
/// Sizes are in its own units.
struct Plot {
    struct Series {
        let name: String
        /// The places on the horizontal axis, and what is there.
        let points: [(place: Int, value: Double)]
    }

    let title: String
    let unit: String
    /// The names of the places on the horizontal axis.
    let places: [String]
    let series: [Series]
    /// How a value is written.
    let label: (Double) -> String

    private static let colors = [
        "#d9480f", "#1971c2", "#2f9e44", "#9c36b5", "#868e96", "#e8a200", "#0c8599", "#c2255c", "#5f3dc4",
    ]
    private let width = 860.0
    private let height = 440.0
    private let left = 80.0
    private let top = 84.0
    private let bottom = 50.0
    private let legend = 250.0

    /// Lines over a logarithmic axis.
    func lines() -> String {
        let scale = Scale(series.flatMap { $0.points.map(\.value) })
        var body = axes(scale)
        let step = (width - left - legend) / Double(max(1, places.count))
        func across(_ place: Int) -> Double { left + step * (Double(place) + 0.5) }
        for (number, each) in series.enumerated() {
            let color = color(number)
            let points = each.points.map { "\(tenths(across($0.place))),\(vertical($0.value, scale))" }
            let width = number == 0 ? 3.5 : 2
            body +=
                "<polyline points=\"\(points.joined(separator: " "))\" fill=\"none\" stroke=\"\(color)\""
                + " stroke-width=\"\(width)\"/>\n"
            for point in each.points {
                body +=
                    "<circle cx=\"\(tenths(across(point.place)))\" cy=\"\(vertical(point.value, scale))\" r=\"4\""
                    + " fill=\"\(color)\"><title>\(each.name): \(label(point.value))</title></circle>\n"
            }
        }
        for (place, name) in places.enumerated() { body += text(name, across(place), height - bottom + 22, "middle") }
        return page(body + key())
    }

    /// One bar for each series at each place, from the bottom of a logarithmic axis.
    func bars() -> String {
        let scale = Scale(series.flatMap { $0.points.map(\.value) })
        var body = axes(scale)
        let step = (width - left - legend) / Double(max(1, places.count))
        let bar = step * 0.84 / Double(max(1, series.count))
        for (number, each) in series.enumerated() {
            for point in each.points {
                let x = left + step * (Double(point.place) + 0.08) + bar * Double(number)
                let y = vertical(point.value, scale)
                body +=
                    "<rect x=\"\(tenths(x))\" y=\"\(y)\" width=\"\(tenths(bar * 0.9))\""
                    + " height=\"\(tenths(height - bottom - y))\" fill=\"\(color(number))\"/>\n"
                body += text(label(point.value), x + bar * 0.45 + 3, y - 5, "start", size: 10, upward: true)
            }
        }
        for (place, name) in places.enumerated() {
            body += text(name, left + step * (Double(place) + 0.5), height - bottom + 22, "middle")
        }
        return page(body + key())
    }

    /// Whole powers of ten around the values.
    private struct Scale {
        var low = 0
        var high = 1

        init(_ values: [Double]) {
            guard let least = values.min(), let most = values.max(), least > 0 else { return }
            var power = 1.0
            while power > least { (power, low) = (power / 10, low - 1) }
            while power * 10 <= least { (power, low) = (power * 10, low + 1) }
            high = low
            while power < most { (power, high) = (power * 10, high + 1) }
            high = max(high, low + 1)
        }

        /// Where a value lies between the lowest (0) and the highest power (1).
        func share(_ value: Double) -> Double {
            var (power, exponent) = (1.0, 0)
            while power * 10 <= value { (power, exponent) = (power * 10, exponent + 1) }
            while power > value { (power, exponent) = (power / 10, exponent - 1) }
            return (Double(exponent - low) + log10(value / power)) / Double(high - low)
        }
    }

    private func vertical(_ value: Double, _ scale: Scale) -> Double {
        let room = height - bottom - top
        return tenths(height - bottom - scale.share(value) * room)
    }

    private func axes(_ scale: Scale) -> String {
        var body = ""
        for exponent in scale.low...scale.high {
            let value = power(exponent)
            let y = vertical(value, scale)
            body += "<line x1=\"\(left)\" x2=\"\(width - legend)\" y1=\"\(y)\" y2=\"\(y)\" stroke=\"#dee2e6\"/>\n"
            body += text(label(value), left - 8, y + 4, "end")
        }
        return body
    }

    private func key() -> String {
        series.enumerated().map { number, each in
            let y = top + 8 + 24 * Double(number)
            let color = color(number)
            let x = width - legend + 20
            return "<rect x=\"\(x)\" y=\"\(y - 9)\" width=\"14\" height=\"10\" fill=\"\(color)\"/>\n"
                + text(each.name, x + 22, y, "start")
        }.joined()
    }

    private func page(_ body: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" font-family="sans-serif">
        <rect width="100%" height="100%" fill="#ffffff"/>
        \(text(title, left, 24, "start", size: 17))\(text(unit, left, 43, "start", size: 12))\(body)</svg>

        """
    }

    private func text(
        _ text: String, _ x: Double, _ y: Double, _ anchor: String, size: Int = 12, upward: Bool = false
    ) -> String {
        let place = "x=\"\(tenths(x))\" y=\"\(tenths(y))\""
        let turn = upward ? " transform=\"rotate(-90 \(tenths(x)) \(tenths(y)))\"" : ""
        return "<text \(place)\(turn) text-anchor=\"\(anchor)\" font-size=\"\(size)\" fill=\"#343a40\">\(text)</text>\n"
    }

    private func color(_ number: Int) -> String { Self.colors[number % Self.colors.count] }
}

private func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }

private func power(_ exponent: Int) -> Double {
    (0..<abs(exponent)).reduce(1.0) { power, _ in exponent > 0 ? power * 10 : power / 10 }
}

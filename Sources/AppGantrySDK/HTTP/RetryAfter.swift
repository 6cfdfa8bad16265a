internal import FoundationEssentials

/// The header `Retry-After`, in seconds or as a date.
enum RetryAfter {
    /// The wait that an answer asks for.
    ///
    /// - Parameters:
    ///   - head: The answer's head.
    ///   - now: This machine's time, for an answer that has a date to wait for and none of its own.
    /// - Returns: The wait, or `nil` without such a header or with one that means nothing.
    static func wait(in head: TransportHead, now: Date) -> Duration? {
        guard let text = head["Retry-After"].map(trimmed) else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More than that is not meant, and a sum with it must not overflow.
            return Int64(text).map { .seconds(min($0, 31_536_000)) } ?? (text.isEmpty ? nil : .seconds(31_536_000))
        }
        guard let until = date(text) else { return nil }
        // The server's own clock, where it is shown: this machine's may be wrong.
        let start = head["Date"].map(trimmed).flatMap(date) ?? now
        return .seconds(min(max(until.timeIntervalSince(start), 0), 31_536_000))
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var bytes = text.utf8.drop(while: isSpace)[...]
        while bytes.last.map(isSpace) == true { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// A date of HTTP, in any of its three forms.
    static func date(_ text: String) -> Date? {
        // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT; Sun Nov  6 08:49:37 1994
        var words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }).map(String.init)
        guard words.count == 6 || words.count == 5 else { return nil }
        if words.count == 5 { words = [words[0], words[2], words[1], words[4], words[3], "GMT"] }
        let time = words[4].split(separator: ":").compactMap { Int($0) }
        guard words[5] == "GMT", let day = Int(words[1]), let month = months.firstIndex(of: words[2]),
            var year = Int(words[3]), time.count == 3
        else { return nil }
        if words[3].utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
        guard (1...31).contains(day), (1600...9999).contains(year), (0...23).contains(time[0]),
            (0...59).contains(time[1]), (0...60).contains(time[2])
        else { return nil }
        let seconds = days(year, month + 1, day) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// Days since 1970 in the Gregorian calendar, counted in years that begin in March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}

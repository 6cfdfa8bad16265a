internal import FoundationEssentials

/// Dates as decimal seconds since 1970, without loss.
///
/// A `Date` is a `Double` of seconds since 2001. Adding the distance of the two epochs in `Double` rounds, and a date
/// that comes back a few nanoseconds off is no longer equal to the one that was saved. So the shortest decimal that
/// names the `Double` is moved to the other epoch digit by digit, and back again when it is read.
enum DateText {
    private static let epochDistance = DecimalNumber(978_307_200)

    /// The seconds since 1970, or `nil` for a date that is not finite.
    static func text(for date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds.isFinite, let decimal = DecimalNumber(seconds.description) else { return nil }
        return (decimal + epochDistance).text
    }

    /// The date, or `nil` when the text is not a number or is beyond what a date can hold.
    static func date(from text: String) -> Date? {
        guard let decimal = DecimalNumber(text), let seconds = Double((decimal - epochDistance).text),
            seconds.isFinite
        else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}

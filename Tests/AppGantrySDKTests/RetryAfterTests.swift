import Foundation
import Testing

@testable import AppGantrySDK

/// The header that asks for a pause, as a value.
@Suite("Retry-After")
struct RetryAfterTests {
    private static let moment = Date(timeIntervalSince1970: 784_111_777)

    private func wait(_ text: String, date: String? = nil) -> Duration? {
        var head = TransportHead(status: 429, headers: [TransportHeader("retry-after", text)])
        if let date { head.headers.append(TransportHeader("DATE", date)) }
        return RetryAfter.wait(in: head, now: Self.moment)
    }

    @Test(
        "T46: the three forms of a date are one moment",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func dates(_ text: String) {
        #expect(RetryAfter.date(text) == Self.moment)
    }

    @Test("T46: seconds are seconds, and what means nothing is no wait")
    func seconds() {
        #expect(wait("120") == .seconds(120))
        #expect(wait(" 0 ") == .zero)
        #expect(wait("99999999999999999999") == .seconds(31_536_000))
        for text in ["", "-1", "soon", "1.5", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"] {
            #expect(wait(text) == nil, "\(text)")
        }
    }

    @Test("T46: a date counts from the server's own clock where it shows one, and a past one is no wait")
    func clocks() {
        #expect(wait("Sun, 06 Nov 1994 08:50:37 GMT") == .seconds(60))
        #expect(
            wait("Sun, 06 Nov 1994 08:50:37 GMT", date: "Sun, 06 Nov 1994 08:50:07 GMT") == .seconds(30))
        #expect(wait("Sun, 06 Nov 1994 08:48:37 GMT") == .zero)
    }
}

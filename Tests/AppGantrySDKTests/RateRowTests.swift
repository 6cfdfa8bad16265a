import AppGantrySDK
import Testing

/// Answers that ask for a pause, against a server.
@Suite("Throttling", .serialized, .timeLimit(.minutes(1)))
struct RateRowTests {
    private let server: UpdateServer

    init() throws { server = try UpdateServer() }

    private func check(_ client: AppGantryUpdates) async -> SDKError? {
        await failure { try await client.checkForUpdate() }
    }

    @Test("T45, T46: a 429 is one request and one error, with the wait that the server asked for")
    func throttled() async throws {
        let (client, _) = try await server.enrolledClient()
        try await server.script("updates", Answer.failure(429, #"{"Retry-After": "7"}"#))
        let body = APIErrorBody(error: "code", message: "text", retryAfter: .seconds(7))
        #expect(await check(client) == .api(status: 429, body: body))
        // A moment that is over, by the server's clock, which it shows.
        try await server.script("updates", Answer.failure(503, #"{"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}"#))
        let past = APIErrorBody(error: "code", message: "text", retryAfter: .zero)
        #expect(await check(client) == .api(status: 503, body: past))
        #expect(try await server.calls() == ["updates", "updates"])
    }

    @Test(
        "T47: a 429 or a Retry-After with a page instead of JSON is api too, with a fixed body", arguments: [429, 503])
    func throttledByEdge(_ status: Int) async throws {
        let (client, _) = try await server.enrolledClient()
        try await server.script("updates", Answer.page(status, #"{"Retry-After": "3"}"#))
        let body = APIErrorBody(
            error: "unspecified", message: "The server gave no reason.", retryAfter: .seconds(3))
        #expect(await check(client) == .api(status: status, body: body))
        try await server.script("updates", Answer.page(429))
        guard case .api(429, let bare) = await check(client) else {
            Issue.record("no api error")
            return
        }
        #expect(bare.retryAfter == nil)
    }

    @Test("T45: a 429 of an enrolment, and one of a file, are not tried again either")
    func throttledElsewhere() async throws {
        try await server.script("enroll", Answer.failure(429))
        let body = APIErrorBody(error: "code", message: "text")
        #expect(await check(server.client()) == .api(status: 429, body: body))
        #expect(try await server.calls() == ["enroll"])
        let (client, _) = try await server.enrolledClient()
        try await server.set(#"{"requests": [], "download": {"r1": {"url": "/files/r1"}}}"#)
        try await server.script("file", Answer.page(429, #"{"Retry-After": "9"}"#))
        let error = await failure { try await client.downloadRelease("r1") }
        guard case .api(429, let said) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(said.retryAfter == .seconds(9))
        #expect(try await server.calls() == ["download", "file"])
    }
}

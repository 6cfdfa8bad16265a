import AppGantrySDK
import CredentialStorage
import FoundationEssentials
import Testing

/// The rows of the errors that need no server.
@Suite("Errors of the update client")
struct SDKErrorTests {
    private static let body = APIErrorBody(error: "unauthorized", message: "no")

    @Test("T34: every failure is an SDKError, which can be sent, compared and shown")
    func conformances() {
        func demands(_ error: some Error & Sendable & Equatable & LocalizedError) -> String? { error.errorDescription }
        #expect(demands(SDKError.notConfigured) != nil)
        #expect(SDKError.api(status: 401, body: Self.body) == .api(status: 401, body: Self.body))
        #expect(SDKError.api(status: 401, body: Self.body) != .api(status: 403, body: Self.body))
        #expect(SDKError.transport("a") != .transport("b"))
    }

    @Test("T41: only api with status 401 is unauthorized")
    func unauthorized() {
        #expect(SDKError.api(status: 401, body: Self.body).isUnauthorized)
        #expect(!SDKError.api(status: 403, body: Self.body).isUnauthorized)
        #expect(!SDKError.unexpectedStatus(401).isUnauthorized)
    }

    @Test("T42: a failure body has two strings, and members besides them are ignored")
    func failureBody() throws {
        let text = #"{"error":"gone","message":"no such release","trace":{"id":7}}"#
        let body = try JSONDecoder().decode(APIErrorBody.self, from: Data(text.utf8))
        #expect(body == APIErrorBody(error: "gone", message: "no such release"))
        let waiting = APIErrorBody(error: "gone", message: "no", retryAfter: .seconds(3))
        let coded = try JSONEncoder().encode(waiting)
        #expect(!String(decoding: coded, as: UTF8.self).contains("retry"))
    }
}

import CredentialStorage
import FoundationEssentials
import Testing

@Suite("The installation token")
struct SDKInstallTokenTests {
    @Test("no rendering shows the token, its installation or its expiry")
    func isRedacted() {
        let token = SDKInstallToken(
            value: "canary-token-1b", expiresAt: Date(timeIntervalSince1970: 1_234_567_890), installID: "canary-id-1b")
        for rendering in [token as Any, [token], ["k": token], Optional(token) as Any, (1, token)].map(everyRendering) {
            #expect(!rendering.contains("canary"))
            #expect(!rendering.contains("1234567890"))
            #expect(!rendering.contains("2009"))
        }
        #expect("\(token)" == "SDKInstallToken(redacted)")
        #expect(Mirror(reflecting: token).children.isEmpty)
    }

    @Test("equality is by bytes, moment and installation")
    func comparesBytes() {
        let date = Date(timeIntervalSince1970: 1)
        let token = SDKInstallToken(value: "e\u{301}", expiresAt: date, installID: "i")
        #expect(token == SDKInstallToken(value: "e\u{301}", expiresAt: date, installID: "i"))
        #expect(token != SDKInstallToken(value: "\u{E9}", expiresAt: date, installID: "i"))
        #expect(token != SDKInstallToken(value: "e\u{300}", expiresAt: date, installID: "i"))
        #expect(token != SDKInstallToken(value: "e\u{301}", expiresAt: nil, installID: "i"))
        #expect(token != SDKInstallToken(value: "e\u{301}", expiresAt: Date(timeIntervalSince1970: 2), installID: "i"))
        #expect(token != SDKInstallToken(value: "e\u{301}", expiresAt: date, installID: "j"))
        #expect(token != SDKInstallToken(value: "e\u{301}", expiresAt: date))
        let id = SDKInstallToken(value: "", installID: "\u{E9}")
        #expect(id != SDKInstallToken(value: "", installID: "e\u{301}"))
        #expect(SDKInstallToken(value: "") == SDKInstallToken(value: ""))
    }

    @Test("it survives coding, with and without the optional parts")
    func survivesCoding() throws {
        let tokens = [
            SDKInstallToken(value: "a"),
            SDKInstallToken(value: "é\u{0}\"", expiresAt: Date(timeIntervalSinceReferenceDate: 0.1), installID: ""),
        ]
        let data = try JSONEncoder().encode(tokens)
        #expect(try JSONDecoder().decode([SDKInstallToken].self, from: data) == tokens)
    }
}

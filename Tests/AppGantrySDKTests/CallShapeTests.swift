import AppGantrySDK
import Foundation
import FoundationNetworking
import Testing

/// The shapes of calls that programs for other platforms are written in: that they compile is the test.
@Suite("Shapes of calls", .serialized, .timeLimit(.minutes(1)))
struct CallShapeTests {
    private struct OwnStore: TokenStore {
        func load() throws -> SDKInstallToken? { nil }
        func save(_ token: SDKInstallToken) throws {}
        func clear() throws {}
    }

    @Test("T43: failures are handled by an ordinary typed catch and a switch")
    func typedCatch() async throws {
        let server = try UpdateServer()
        let updates = AppGantryUpdates(
            configuration: server.configuration(), session: .shared, tokenStore: OwnStore())
        try await server.script("updates", Answer.failure(403))
        var said: [String] = []
        do {
            let info = try await updates.checkForUpdate()
            said.append("\(info.updateAvailable)")
        } catch let error as SDKError {
            switch error {
            case .api(let status, let body): said.append("server said \(status): \(body.message)")
            case .transport(let detail): said.append("network problem: \(detail)")
            default: said.append(error.localizedDescription)
            }
        }
        #expect(said == ["server said 403: text"])
    }

    @Test("T12, T13, T36: results may be dropped, and every case has its name")
    func shapes() async throws {
        let server = try UpdateServer()
        let (updates, _) = try await server.enrolledClient()
        try await updates.enroll()
        try await updates.refresh()
        let token: SDKInstallToken = try await updates.enroll()
        #expect(token.value == "token-3")
        let errors: [SDKError] = [
            .notConfigured, .notEnrolled, .api(status: 401, body: APIErrorBody(error: "a", message: "b")),
            .unexpectedStatus(1), .decoding("a"), .invalidURL("a"), .transport("a"),
        ]
        #expect(errors.filter(\.isUnauthorized).count == 1)
    }

    @Test("an own interface reads what it shows from the returned values")
    func ownInterface() async throws {
        let server = try UpdateServer()
        try await server.set(#"{"update": {"updateAvailable": true, "releaseNotes": "new", "isMandatory": true}}"#)
        let updates = server.client()
        let info = try await updates.checkForUpdate()
        guard info.updateAvailable else { return }
        let metadata = try await updates.appMetadata()
        let icon = try await updates.iconData(for: metadata)
        let version = info.latestVersionName ?? metadata.latestVersionName
        #expect(metadata.name == "Example" && version == "2.0.0" && icon == Data("icon bytes".utf8))
        #expect(info.releaseNotes == "new" && info.isMandatory)
        let begins = { @Sendable in Task { try await updates.beginInstall(for: info) } }
        #expect(try await begins().value == false)
    }

    @Test("T52: the page about the client has a table of symptoms, with those of this platform")
    func troubleshooting() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/update-client.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").drop { $0 != "| what you see | why | what to do |" }
            .dropFirst(2).prefix { $0.hasPrefix("|") }
        #expect(rows.count >= 9)
        for symptom in [
            "notConfigured", "401", "no update", "beginInstall(for:)", "transport", "429", "tokenBackend",
            "noSessionBus",
            "noProvider", "locked", "promptDismissed", "accessDenied", "keySourceUnavailable",
        ] { #expect(rows.contains { $0.contains(symptom) }, "\(symptom)") }
    }
}

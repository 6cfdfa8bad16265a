import AppGantrySDK
import CredentialStorage
import Foundation
import Testing

/// One call that a program can make.
enum Call: String, CaseIterable, Sendable {
    case appMetadata, checkForUpdate, iconData, downloadRelease, downloadURL, reportInstall

    func make(_ updates: AppGantryUpdates) async throws {
        switch self {
        case .appMetadata: _ = try await updates.appMetadata()
        case .checkForUpdate: _ = try await updates.checkForUpdate()
        case .iconData: _ = try await updates.iconData(for: AppMetadata(name: "Example", iconURL: "/files/icon"))
        case .downloadRelease:
            let file = try await updates.downloadRelease("r1")
            try? FileManager.default.removeItem(at: file.deletingLastPathComponent())
        case .downloadURL: _ = try await updates.downloadURL(forRelease: "r1")
        case .reportInstall: try await updates.reportInstall(.completed, forRelease: "r1")
        }
    }

    /// What the server calls it.
    var served: [String] {
        switch self {
        case .appMetadata: ["app"]
        case .checkForUpdate: ["updates"]
        case .iconData: ["file"]
        case .downloadRelease: ["download", "file"]
        case .downloadURL: ["download"]
        case .reportInstall: ["installs"]
        }
    }
}

/// Enrolment and the life of the token, against a server.
@Suite("The token's life", .serialized, .timeLimit(.minutes(2)))
struct TokenRowTests {
    private let server: UpdateServer

    init() async throws {
        server = try UpdateServer()
        try await server.set(#"{"download": {"r1": {"url": "/files/r1", "kind": "appimage"}}}"#)
        try await server.set(#"{"files": {"icon": {"text": "icon"}, "r1": {"text": "release"}}}"#)
    }

    @Test("T1: calls need no word about tokens")
    func noTokenCode() async throws {
        try await server.set(#"{"update": {"updateAvailable": true, "latestVersionName": "2.1.0"}}"#)
        let info = try await server.client().checkForUpdate()
        #expect(info == UpdateInfo(updateAvailable: true, latestVersionName: "2.1.0"))
    }

    @Test("T2: the first contact enrols, the app secret in and a token out, and only then calls")
    func firstContact() async throws {
        let store = InMemoryTokenStore()
        _ = try await server.client(store).appMetadata()
        let requests = try await server.requests()
        #expect(requests.map(\.call) == ["enroll", "app"])
        #expect(requests[0].authorization == nil)
        #expect(requests[0].body.contains("app-secret"))
        #expect(requests[1].authorization == "Bearer token-1")
        #expect(!requests[1].body.contains("app-secret"))
        #expect(try store.load() == SDKInstallToken(value: "token-1", installID: "install-1"))
    }

    @Test("T3: the token belongs to one app and can be revoked by the server")
    func revocation() async throws {
        let client = server.client()
        _ = try await client.appMetadata()
        try await server.set(#"{"valid": []}"#)
        _ = try await client.appMetadata()
        #expect(try await server.calls() == ["enroll", "app", "app", "enroll", "app"])
        #expect(try await server.requests().last?.authorization == "Bearer token-2")
        // Another app's key does not go with it.
        var other = server.configuration()
        other.appKey = "other-key"
        let store = InMemoryTokenStore()
        try store.save(SDKInstallToken(value: "token-2"))
        let stranger = AppGantryUpdates(configuration: other, tokenStore: store)
        #expect(await failure { try await stranger.appMetadata() }?.isUnauthorized == true)
    }

    @Test("T7, T8: each call enrols by itself where nothing is stored", arguments: Call.allCases)
    func enrolsByItself(_ call: Call) async throws {
        try await call.make(server.client())
        // The icon's and the release's file are on the server too.
        #expect(try await server.calls() == ["enroll"] + call.served)
    }

    @Test("T7: beginInstall is none of them")
    func beginInstallDoesNot() async throws {
        let info = UpdateInfo(updateAvailable: true, releaseID: "r1")
        #expect(try await server.client().beginInstall(for: info) == false)
        #expect(try await server.calls().isEmpty)
    }

    @Test("T9: a refused stored token leads to one enrolment and one more try", arguments: Call.allCases)
    func refusedOnce(_ call: Call) async throws {
        let store = InMemoryTokenStore()
        try store.save(SDKInstallToken(value: "revoked"))
        let first = try #require(call.served.first)
        if call == .iconData { try await server.script("file", Answer.unauthorized) }
        try await call.make(server.client(store))
        #expect(try await server.calls() == [first, "enroll"] + call.served)
        #expect(try store.load()?.value == "token-1")
    }

    @Test("T10: a 401 after that is the end", arguments: Call.allCases)
    func refusedTwice(_ call: Call) async throws {
        let (client, _) = try await server.enrolledClient()
        let first = try #require(call.served.first)
        try await server.script(first, Answer.alwaysUnauthorized)
        let error = await failure { try await call.make(client) }
        let body = APIErrorBody(error: "unauthorized", message: "The credential was not accepted.")
        #expect(error == .api(status: 401, body: body))
        #expect(try await server.calls() == [first, "enroll", first])
    }

    @Test("T11, T16, T44: a refused enrolment reaches the caller, and is not tried again")
    func refusedEnrolment() async throws {
        let store = InMemoryTokenStore()
        try store.save(SDKInstallToken(value: "old"))
        try await server.set(#"{"appSecret": "another"}"#)
        let client = server.client(store)
        let error = await failure { try await client.checkForUpdate() }
        #expect(error?.isUnauthorized == true)
        #expect(try await server.calls() == ["updates", "enroll"])
        #expect(try store.load()?.value == "old")
        try store.clear()
        let second = await failure { try await client.checkForUpdate() }
        #expect(second?.isUnauthorized == true)
        #expect(try await server.calls() == ["updates", "enroll", "enroll"])
    }

    @Test("T12: enroll() enrols although a token is held")
    func forcedEnrolment() async throws {
        let (client, store) = try await server.enrolledClient()
        let token: SDKInstallToken = try await client.enroll()
        #expect(token.value == "token-1")
        #expect(try store.load() == token)
        try await client.enroll()
        #expect(try await server.calls() == ["enroll", "enroll"])
        #expect(try store.load()?.value == "token-2")
    }

    @Test("T13: refresh() renews the token that is held")
    func renewal() async throws {
        let (client, store) = try await server.enrolledClient()
        let token: SDKInstallToken = try await client.refresh()
        #expect(try store.load() == token)
        try await client.refresh()
        let requests = try await server.requests()
        #expect(requests.map(\.call) == ["refresh", "refresh"])
        #expect(requests.map(\.authorization) == ["Bearer held", "Bearer token-1"])
    }

    @Test("T13: refresh() of a revoked token says so, and enrols nothing")
    func renewalRefused() async throws {
        let store = InMemoryTokenStore()
        try store.save(SDKInstallToken(value: "revoked"))
        let client = server.client(store)
        #expect(await failure { try await client.refresh() }?.isUnauthorized == true)
        #expect(try await server.calls() == ["refresh"])
        #expect(try store.load()?.value == "revoked")
    }

    @Test("T14: a new token is stored before the call is made again")
    func savedFirst() async throws {
        let store = RecordingTokenStore("revoked")
        let transport = NotingTransport(store)
        let client = AppGantryUpdates(configuration: server.configuration(), transport: transport, tokenStore: store)
        _ = try await client.checkForUpdate()
        let expected = [
            "load", "request updates revoked", "load", "request enroll none", "save token-1",
            "request updates token-1",
        ]
        #expect(store.events == expected)
        try await client.refresh()
        #expect(store.events.dropFirst(expected.count) == ["load", "request refresh token-1", "save token-2"])
    }

    @Test("T15: refresh() without a token is notEnrolled")
    func renewalOfNothing() async throws {
        let client = server.client()
        #expect(await failure { try await client.refresh() } == .notEnrolled)
        #expect(try await server.calls().isEmpty)
    }
}

import CredentialStorage
import CredentialStorageTesting
import Foundation
import FoundationNetworking
import Testing

@testable import AppGantrySDK

/// Refusals, failures and the texts about them, against a server.
@Suite("What goes wrong", .serialized, .timeLimit(.minutes(3)))
struct ErrorRowTests {
    private let server: UpdateServer

    init() throws { server = try UpdateServer() }

    private func check(_ client: AppGantryUpdates) async -> SDKError? {
        await failure { try await client.checkForUpdate() }
    }

    /// What a client does and says when its token is refused.
    private struct Trace: Equatable {
        let error: SDKError?
        let text: String
        let calls: [String]
        let records: [String]
        let stored: String?
    }

    /// Why a server may refuse a credential; it must not show.
    enum Situation: String, CaseIterable, Sendable {
        case unknownKey, missingHeader, malformedHeader, expired, revoked, foreign
    }

    private func trace(_ situation: Situation) async throws -> Trace {
        let log = LogRecorder()
        let store = InMemoryTokenStore()
        // Each is what the server would see; what it answers is byte for byte the same.
        let past = Date(timeIntervalSince1970: 1)
        let token =
            switch situation {
            case .expired: SDKInstallToken(value: "expired", expiresAt: past)
            case .missingHeader: SDKInstallToken(value: "")
            case .malformedHeader: SDKInstallToken(value: "two words")
            default: SDKInstallToken(value: situation.rawValue)
            }
        try store.save(token)
        var configuration = server.configuration(log: log.log())
        if situation == .unknownKey { configuration.appKey = "nobody" }
        try await server.set(
            situation == .unknownKey
                ? #"{"requests": []}"# : #"{"requests": [], "scripts": {"enroll": [\#(Answer.unauthorized)]}}"#)
        let client = AppGantryUpdates(configuration: configuration, tokenStore: store)
        let error = await check(client)
        let rendered = "\(String(describing: error)) \(error?.localizedDescription ?? "")"
        return Trace(
            error: error, text: rendered, calls: try await server.calls(),
            records: log.records.map { "\($0.level) \($0.tag) \($0.message)" },
            stored: try store.load() == token ? "as before" : nil)
    }

    @Test("T31, T32, T33: six reasons for a 401 are one behaviour, one error, one log")
    func uniform() async throws {
        let first = try await trace(.revoked)
        #expect(first.error?.isUnauthorized == true)
        #expect(first.calls == ["updates", "enroll"])
        #expect(first.stored == "as before")
        for situation in Situation.allCases { #expect(try await trace(situation) == first, "\(situation)") }
    }

    @Test("T35: no text shows a token, a secret, an address or what the server said")
    func texts() async throws {
        let canaries = ["tok-8Hq2", "sec-91Zx", "bod-7Yw3", ":\(server.port)"].map { text in
            Canary(name: "no-name-3Kd", text: text)
        }
        let errors: [SDKError] = [
            .notConfigured, .notEnrolled, .unexpectedStatus(502), .storage(.readError(cause: .damaged)),
            .api(status: 500, body: APIErrorBody(error: "bod-7Yw3", message: "tok-8Hq2 sec-91Zx")),
        ]
        var seen = errors
        for answer in [Answer.page(502), #"{"status": 200, "text": "bod-7Yw3"}"#, #"{"close": true, "status": 0}"#] {
            var configuration = server.configuration()
            configuration.appSecret = "sec-91Zx"
            try await server.set(#"{"valid": ["tok-8Hq2"], "scripts": {"updates": [\#(answer)]}}"#)
            let store = InMemoryTokenStore()
            try store.save(SDKInstallToken(value: "tok-8Hq2"))
            let client = AppGantryUpdates(configuration: configuration, tokenStore: store)
            seen.append(try #require(await check(client)))
            for canary in canaries {
                #expect(canary.leaks(in: client).isEmpty && canary.leaks(in: configuration).isEmpty)
            }
        }
        let header = TransportHeader("Authorization", "Bearer tok-8Hq2")
        let request = TransportRequest(
            method: "POST", url: server.base, headers: [header], body: Data("sec-91Zx".utf8))
        for canary in canaries {
            #expect(canary.leaks(in: request).isEmpty)
            #expect(canary.leaks(in: TransportHead(status: 200, headers: [header])).isEmpty)
        }
        for error in seen {
            for canary in canaries {
                #expect(canary.leaks(in: error).isEmpty, "\(canary.text) in \(error)")
                #expect(canary.leaks(in: error.errorDescription ?? "").isEmpty)
            }
            #expect(error.errorDescription?.isEmpty == false)
        }
    }

    @Test("T36, T40: each case of an error has its trigger, and its text is a fixed phrase")
    func triggers() async throws {
        let (client, _) = try await server.enrolledClient()
        try await server.script("updates", #"{"status": 200, "text": "{\"updateAvailable\": "}"#)
        #expect(await check(client) == .decoding("not the JSON of this call"))
        for (base, phrase) in [
            ("ftp://127.0.0.1/", "neither HTTPS nor plain HTTP on loopback"),
            ("http://192.0.2.1/", "neither HTTPS nor plain HTTP on loopback"),
            ("http://localhost.example/", "neither HTTPS nor plain HTTP on loopback"),
            ("https://user:word@127.0.0.1/", "an address with a name or password in it"),
            ("", "the server's address is missing or no address"),
        ] {
            var configuration = server.configuration()
            configuration.deployment.baseURL = URL(string: base)
            let other = AppGantryUpdates(configuration: configuration, tokenStore: InMemoryTokenStore())
            #expect(await check(other) == .invalidURL(phrase), "\(base)")
        }
        server.end()
        #expect(await check(client) == .transport("the connection was refused or there is no way to the server"))
    }

    @Test("T37: without a key or a secret nothing is asked, neither the store nor the server", arguments: [0, 1, 2])
    func notConfigured(_ missing: Int) async throws {
        var configuration = server.configuration()
        if missing != 1 { configuration.appKey = "" }
        if missing != 0 { configuration.appSecret = "" }
        let store = RecordingTokenStore("held")
        let client = AppGantryUpdates(configuration: configuration, tokenStore: store)
        for call in Call.allCases {
            #expect(await failure { try await call.make(client) } == .notConfigured)
        }
        #expect(await failure { try await client.enroll() } == .notConfigured)
        #expect(await failure { try await client.refresh() } == .notConfigured)
        let info = UpdateInfo(updateAvailable: true)
        #expect(
            await failure { try await client.beginInstall(for: info) } == .notConfigured)
        #expect(store.events.isEmpty)
        #expect(try await server.calls().isEmpty)
    }

    @Test("T38: a failure body is carried as the server said it", arguments: [400, 403, 404, 409, 429, 500])
    func bodies(_ status: Int) async throws {
        let (client, _) = try await server.enrolledClient()
        try await server.script("updates", Answer.failure(status))
        #expect(await check(client) == .api(status: status, body: APIErrorBody(error: "code", message: "text")))
        #expect(try await server.calls() == ["updates"])
    }

    @Test("T39: a status without a usable body is unexpected", arguments: [204, 304, 500, 502])
    func unexpected(_ status: Int) async throws {
        let (client, _) = try await server.enrolledClient()
        try await server.script("updates", Answer.page(status))
        #expect(await check(client) == .unexpectedStatus(status))
    }

    @Test("T9, T41: a 401 without a usable body is a refused token too, and is not isUnauthorized")
    func unexpected401() async throws {
        let (client, _) = try await server.enrolledClient()
        try await server.script("updates", #"{"status": 401, "text": "<html>", "always": true}"#)
        let error = await check(client)
        #expect(error == .unexpectedStatus(401))
        #expect(error?.isUnauthorized == false)
        #expect(try await server.calls() == ["updates", "enroll", "updates"])
    }

    @Test("T9: a 401 that asks for a password in the usual way ends as any other")
    func challenge() async throws {
        let (client, _) = try await server.enrolledClient()
        let headers = #"{"WWW-Authenticate": "Basic realm=\"x\""}"#
        try await server.script(
            "updates", #"{"status": 401, "headers": \#(headers), "json": \#(Answer.uniform), "always": true}"#)
        #expect(await check(client)?.isUnauthorized == true)
        #expect(try await server.calls() == ["updates", "enroll", "updates"])
    }

    @Test(
        "T32: a token that is past its time by this machine's clock is the server's to judge all the same",
        arguments: [1, 9_000_000_000])
    func clockSkew(_ expiresAt: Int) async throws {
        try await server.set(#"{"expiresAt": \#(expiresAt)}"#)
        let store = InMemoryTokenStore()
        let client = server.client(store)
        for _ in 0..<3 { #expect(await check(client) == nil) }
        #expect(try store.load()?.expiresAt == Date(timeIntervalSince1970: Double(expiresAt)))
        #expect(try await server.calls() == ["enroll", "updates", "updates", "updates"])
    }

    @Test("T48: a release that is not published is no update, and no error")
    func noUpdate() async throws {
        let (client, _) = try await server.enrolledClient()
        #expect(try await client.checkForUpdate() == UpdateInfo(updateAvailable: false))
    }

    @Test("T51: a name without an address and an answer that never comes have phrases of their own")
    func network() async throws {
        var configuration = server.configuration()
        configuration.deployment.baseURL = URL(string: "https://no-such-name.invalid")
        let lost = AppGantryUpdates(configuration: configuration, tokenStore: InMemoryTokenStore())
        #expect(await check(lost) == .transport("the server's name has no address"))
        let slow = ScriptedTransport { _ in
            try await Task.sleep(for: .seconds(60))
            return (200, [], "")
        }
        var client = APIClient(server.configuration(), slow)
        client.courier.deadline = .milliseconds(50)
        #expect(await client.enroll() == .failure(.transport("no answer in time")))
        #expect(AppGantryDeployment.appGantry.baseURL?.absoluteString == "https://api.appgantry.com")
    }

    @Test("T51: a proxy that the environment names is used, and never for what is to stay on this machine")
    func proxy() async throws {
        let away = ["http_proxy": "http://192.0.2.1:1"]
        let home = try UpdateHome()
        let output = try await home.run(server, away)
        #expect(
            output
                == "failed: invalidURL(plain HTTP on loopback would go to a proxy; no_proxy does not name the host)\n")
        #expect(try await server.calls().isEmpty)
        #expect(try await home.run(server, away.merging(["no_proxy": "127.0.0.1"]) { $1 }) == "token-1\n")
    }

    @Test("redirects to another server lose the credentials, and its 401 changes no token")
    func redirects() async throws {
        let (client, store) = try await server.enrolledClient()
        let elsewhere = "http://127.0.0.1:\(server.otherPort)/sdk/v1/updates"
        try await server.script(
            "updates", #"{"status": 302, "headers": {"Location": "\#(elsewhere)"}, "text": ""}"#)
        #expect(await check(client)?.isUnauthorized == true)
        let requests = try await server.requests()
        #expect(requests.map(\.port) == [server.port, server.otherPort])
        #expect(requests.map(\.authorization) == ["Bearer held", nil])
        #expect(requests[1].key == nil)
        #expect(try store.load()?.value == "held")
        // On the same server they stay.
        try await server.script("updates", #"{"status": 307, "headers": {"Location": "/sdk/v1/app"}, "text": ""}"#)
        #expect(await check(client) == .decoding("not the JSON of this call"))
        #expect(try await server.requests().last?.authorization == "Bearer held")
        let loop = #"{"status": 302, "headers": {"Location": "/sdk/v1/updates"}, "text": "", "always": true}"#
        try await server.script("updates", loop)
        #expect(await check(client) == .transport("too many redirects"))
    }
}

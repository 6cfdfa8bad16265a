import CredentialStorage
import Foundation
import FoundationNetworking
import Testing

@testable import AppGantrySDK

/// The transport over `URLSession`, against a server.
@Suite("The transport", .serialized, .timeLimit(.minutes(2)))
struct TransportTests {
    private let server: UpdateServer
    private let transport = URLSessionTransport(.shared)

    init() throws { server = try UpdateServer() }

    private func send(_ idleTimeout: Duration = .seconds(20)) async -> (any Error)? {
        let url = server.base.appendingPathComponent("sdk/v1/updates")
        do {
            try await transport.send(TransportRequest(method: "GET", url: url, idleTimeout: idleTimeout)) { _ in }
            return nil
        } catch {
            return error
        }
    }

    @Test("an answer that does not come, or stops, ends at the idle timeout")
    func silence() async throws {
        try await server.script("updates", #"{"hang": 5, "status": 200, "text": "late"}"#)
        #expect(await send(.milliseconds(500)) as? TransportFailure == .timedOut)
        try await server.script(
            "updates", #"{"status": 200, "headers": {"Content-Length": "10"}, "text": "half", "stall": 5}"#)
        #expect(await send(.milliseconds(500)) as? TransportFailure == .timedOut)
    }

    @Test("a connection that ends before the answer does is broken off, before its head and after")
    func broken() async throws {
        try await server.script("updates", #"{"close": true, "status": 0}"#)
        #expect(await send() as? TransportFailure == .brokenOff)
        try await server.script(
            "updates", #"{"status": 200, "headers": {"Content-Length": "10"}, "text": "half"}"#)
        #expect(await send() as? TransportFailure == .brokenOff)
    }

    @Test("what the receiver throws ends the exchange and is thrown")
    func receiverThrows() async throws {
        struct Enough: Error {}
        let url = server.base.appendingPathComponent("files/icon")
        await #expect(throws: Enough.self) {
            try await transport.send(TransportRequest(method: "GET", url: url)) { _ in throw Enough() }
        }
    }

    @Test("a redirect is an answer like any other, and cookies are neither kept nor sent")
    func redirect() async throws {
        let headers = #"{"Location": "/files/icon", "Set-Cookie": "a=b"}"#
        try await server.script("updates", #"{"status": 302, "headers": \#(headers), "text": ""}"#)
        #expect(await send() == nil)
        #expect(await send() == nil)
        let requests = try await server.requests()
        #expect(requests.map(\.call) == ["updates", "updates"])
        #expect(requests.allSatisfy { $0.cookie == nil })
    }

    @Test("plain HTTP that a proxy would get is refused, unless no_proxy names the host")
    func proxies() throws {
        func sendsAway(_ address: String, _ variables: [String: String]) throws -> Bool {
            ProxyVariables.sendsAway(try #require(URL(string: address)), Environment { variables[$0] })
        }
        let proxy = ["all_proxy": "http://192.0.2.1:1"]
        #expect(try sendsAway("http://127.0.0.1:80/", proxy))
        #expect(try !sendsAway("https://127.0.0.1:80/", proxy))
        #expect(try !sendsAway("http://127.0.0.1:80/", [:]))
        #expect(try !sendsAway("http://127.0.0.1:80/", proxy.merging(["no_proxy": "a, 127.0.0.1"]) { $1 }))
        #expect(try !sendsAway("http://127.0.0.1:80/", proxy.merging(["NO_PROXY": "*"]) { $1 }))
        #expect(try sendsAway("http://127.0.0.1:80/", proxy.merging(["no_proxy": "127.0.0.10"]) { $1 }))
    }

    @Test(
        "this machine is 127.0.0.0/8, ::1 and localhost, and nothing that begins or ends so",
        arguments: [
            ("127.0.0.1", true), ("127.255.1.2", true), ("localhost", true), ("LOCALHOST", true), ("::1", true),
            ("127.0.0.1.example.org", false), ("127.1", false), ("localhost.example.org", false), ("0.0.0.0", false),
            ("127.0.0.256", false), ("128.0.0.1", false), ("127.0.0.+1", false),
        ])
    func loopback(_ host: String, _ isLoopback: Bool) {
        #expect(Address.isLoopback(host) == isLoopback)
    }
}

import CredentialStorage
import CredentialTestSupport
import Foundation
import Testing

@testable import AppGantrySDK

/// Many calls at once, in one process and in many.
@Suite("One enrolment for all: concurrency", .serialized, .timeLimit(.minutes(3)))
struct TokenConcurrencyTests {
    private let server: UpdateServer

    init() throws { server = try UpdateServer() }

    /// The errors of so many calls at once, `nil` for one that went through.
    private static func all(_ count: Int, _ client: AppGantryUpdates) async -> [SDKError?] {
        await withTaskGroup(of: SDKError?.self) { group in
            for _ in 0..<count { group.addTask { await failure { try await client.checkForUpdate() } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("T17: twenty calls at once make one enrolment", arguments: [nil, "refused"])
    func twenty(_ held: String?) async throws {
        try await server.set(#"{"pause": {"enroll": 0.2}}"#)
        let store = InMemoryTokenStore()
        if let held { try store.save(SDKInstallToken(value: held)) }
        let results = await Self.all(20, server.client(store))
        #expect(results.allSatisfy { $0 == nil })
        #expect(try await server.calls().filter { $0 == "enroll" }.count == 1)
        #expect(try store.load()?.value == "token-1")
    }

    @Test("T17: over a store with nothing but its three members it is one too, in this process")
    func plainStore() async throws {
        try await server.set(#"{"pause": {"enroll": 0.2}}"#)
        let client = server.client(PlainTokenStore("refused"))
        #expect(client.coordination == .process)
        _ = await Self.all(20, client)
        #expect(try await server.calls().filter { $0 == "enroll" }.count == 1)
    }

    @Test("T17: an enrolment that is refused is refused for all who wait, once")
    func refusedForAll() async throws {
        try await server.set(#"{"pause": {"enroll": 0.3}, "appSecret": "another"}"#)
        let client = server.client()
        async let results = Self.all(20, client)
        try await server.awaitRequests("enroll", 1)
        #expect(await results.allSatisfy { $0?.isUnauthorized == true })
        #expect(try await server.calls().filter { $0 == "enroll" }.count <= 2)
    }

    @Test("T17: who is cancelled stops waiting, and the others get their token")
    func cancellation() async throws {
        try await server.set(#"{"pause": {"enroll": 0.5}}"#)
        let client = server.client()
        let first = Task { await failure { try await client.checkForUpdate() } }
        try await server.awaitRequests("enroll", 1)
        let second = Task { await failure { try await client.checkForUpdate() } }
        let end = ContinuousClock.now + .seconds(20)
        while client.keeper.flights.waiting < 2, ContinuousClock.now < end { await Task.yield() }
        first.cancel()
        #expect(await first.value == .transport("cancelled"))
        #expect(await second.value == nil)
        #expect(try await server.calls().filter { $0 == "enroll" }.count == 1)
    }

    @Test("T17: a call that is cancelled before it begins does nothing")
    func cancelledBefore() async throws {
        let client = server.client()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await failure { try await client.checkForUpdate() }
        }
        task.cancel()
        #expect(await task.value == .transport("cancelled"))
        #expect(try await server.calls().isEmpty)
    }

    @Test("T17: a renewal and calls that need a token end with one and the same token")
    func renewalBesideCalls() async throws {
        let (client, store) = try await server.enrolledClient()
        async let renewed = client.refresh()
        async let results = Self.all(10, client)
        let token = try await renewed
        #expect(await results.allSatisfy { $0 == nil })
        #expect(try await server.calls().filter { $0 == "enroll" }.count <= 1)
        #expect([token.value, "token-2"].contains(try store.load()?.value))
    }

    @Test("T17: eight processes that find the token refused make one enrolment, and all end with its token")
    func processes() async throws {
        try await server.set(#"{"pause": {"enroll": 0.3}}"#)
        let home = try UpdateHome()
        // One process makes the store and its token, which the server then forgets.
        #expect(try await home.run(server) == "token-1\n")
        try await server.set(#"{"valid": []}"#)
        let server = server
        let outputs = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try await home.run(server) } }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(outputs == Array(repeating: "token-2\n", count: 8))
        #expect(try await server.calls().filter { $0 == "enroll" }.count == 2)
    }

    @Test("T17: eight processes that start with nothing make one enrolment")
    func freshProcesses() async throws {
        try await server.set(#"{"pause": {"enroll": 0.3}}"#)
        let home = try UpdateHome()
        let server = server
        let outputs = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try await home.run(server) } }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(outputs == Array(repeating: "token-1\n", count: 8))
        #expect(try await server.issued() == 1)
    }

    @Test("T5, T24: a new process with the same store uses the same token")
    func newProcess() async throws {
        let home = try UpdateHome()
        #expect(try await home.run(server) == "token-1\n")
        #expect(try await home.run(server) == "token-1\n")
        #expect(try await server.calls() == ["enroll", "updates", "updates"])
        // T24: what was stored is in the one place of the service, and nowhere in the clear.
        let files = try #require(FileManager.default.subpaths(atPath: home.path)).filter { name in
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(home.path)/\(name)", isDirectory: &isDirectory)
            return !isDirectory.boolValue
        }
        let service = "data/org.example.updates"
        let vault = ["\(service)/credentials.vault", "\(service)/credentials.vault.lock"]
        #expect(Set(files) == Set(vault + ["config/org.example.updates/vault.key"]))
        for file in files {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(home.path)/\(file)"))
            #expect(bytes.range(of: Data("token-1".utf8)) == nil)
        }
    }
}

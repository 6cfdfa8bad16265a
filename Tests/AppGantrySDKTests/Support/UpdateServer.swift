import AppGantrySDK
import CredentialStorage
import Foundation
import FoundationNetworking
import Testing

/// `Tests/Tools/update_server.py` on free ports, which ends with this object or with this process.
final class UpdateServer: Sendable {
    struct Request: Decodable, Equatable, Sendable {
        let call: String
        let path: String
        let query: String
        let port: Int
        let authorization: String?
        let key: String?
        let range: String?
        let ifRange: String?
        let cookie: String?
        let body: String
    }

    struct Failure: Error { let text: String }

    private struct Values: Decodable {
        let requests: [Request]
        let valid: [String]
        let issued: Int
    }

    let port: Int
    /// The same server as another origin.
    let otherPort: Int
    private let input = Pipe()
    private let process: Process

    init() throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-B", Self.tool]
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            line += String(decoding: more, as: UTF8.self)
        }
        let ports = line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard ports.count == 2 else { throw Failure(text: "the server says: \(line)") }
        (port, otherPort) = (ports[0], ports[1])
    }

    deinit { end() }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private static var tool: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Tools/update_server.py").path
    }

    var base: URL { URL(string: "http://127.0.0.1:\(port)")! }

    /// A configuration that the server accepts.
    func configuration(log: StorageLog = .silent) -> AppGantryConfiguration {
        var configuration = AppGantryConfiguration(
            appKey: "app-key", appSecret: "app-secret", service: "org.example.updates")
        configuration.deployment = AppGantryDeployment(baseURL: base)
        configuration.log = log
        return configuration
    }

    func client(_ store: any TokenStore = InMemoryTokenStore(), log: StorageLog = .silent) -> AppGantryUpdates {
        AppGantryUpdates(configuration: configuration(log: log), tokenStore: store)
    }

    /// A client whose store has a token that the server accepts.
    func enrolledClient(_ token: String = "held") async throws -> (AppGantryUpdates, InMemoryTokenStore) {
        let store = InMemoryTokenStore()
        try store.save(SDKInstallToken(value: token))
        try await set(#"{"valid": ["\#(token)"]}"#)
        return (client(store), store)
    }

    /// Changes the state.
    func set(_ json: String) async throws {
        var request = URLRequest(url: base.appendingPathComponent("control"))
        request.httpMethod = "POST"
        request.httpBody = Data(json.utf8)
        let (_, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Failure(text: json) }
    }

    /// Lets the next requests of a call be answered so.
    func script(_ call: String, _ answers: String...) async throws {
        try await set(#"{"scripts": {"\#(call)": [\#(answers.joined(separator: ","))]}}"#)
    }

    private func values() async throws -> Values {
        let (data, _) = try await URLSession.shared.data(from: base.appendingPathComponent("control"))
        return try JSONDecoder().decode(Values.self, from: data)
    }

    func requests() async throws -> [Request] { try await values().requests }
    func calls() async throws -> [String] { try await values().requests.map(\.call) }
    func issued() async throws -> Int { try await values().issued }

    /// Returns when so many requests of a call have arrived.
    func awaitRequests(_ call: String, _ count: Int) async throws {
        while try await calls().filter({ $0 == call }).count < count { try await Task.sleep(for: .milliseconds(5)) }
    }
}

/// Scripted answers.
enum Answer {
    static let uniform = #"{"error": "unauthorized", "message": "The credential was not accepted."}"#
    static let unauthorized = #"{"status": 401, "json": \#(uniform)}"#
    static let alwaysUnauthorized = #"{"status": 401, "json": \#(uniform), "always": true}"#

    static func failure(_ status: Int, _ headers: String = "{}") -> String {
        #"{"status": \#(status), "headers": \#(headers), "json": {"error": "code", "message": "text"}}"#
    }

    static func page(_ status: Int, _ headers: String = "{}") -> String {
        #"{"status": \#(status), "headers": \#(headers), "text": "<html>no</html>"}"#
    }
}

/// The error that a body throws, which must be of the client's one type.
func failure<R>(_ body: () async throws -> R) async -> SDKError? {
    do {
        _ = try await body()
        return nil
    } catch {
        if !(error is SDKError) { Issue.record("not an SDKError: \(type(of: error))") }
        return error as? SDKError
    }
}

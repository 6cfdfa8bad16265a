import AppGantrySDK
import CredentialStorage
import Foundation
import FoundationNetworking

/// Carries requests by way of `URLSession`, and notes each where the store notes what it is asked.
struct NotingTransport: Transport {
    let store: RecordingTokenStore

    init(_ store: RecordingTokenStore) { self.store = store }

    func send(
        _ request: TransportRequest, _ receive: @escaping @Sendable (TransportPiece) throws -> Void
    ) async throws {
        let token = request.headers.first { $0.name == "Authorization" }?.value.dropFirst("Bearer ".count) ?? "none"
        store.note("request \(request.url.lastPathComponent) \(token)")
        var native = URLRequest(url: request.url)
        native.httpMethod = request.method
        native.httpBody = request.body
        for header in request.headers { native.setValue(header.value, forHTTPHeaderField: header.name) }
        let (data, response) = try await URLSession.shared.data(for: native)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        try receive(.head(TransportHead(status: status)))
        try receive(.bytes(data))
    }
}

/// Answers each request by a function.
struct ScriptedTransport: Transport {
    let answer: @Sendable (TransportRequest) async throws -> (Int, [TransportHeader], String)

    init(_ answer: @escaping @Sendable (TransportRequest) async throws -> (Int, [TransportHeader], String)) {
        self.answer = answer
    }

    func send(
        _ request: TransportRequest, _ receive: @escaping @Sendable (TransportPiece) throws -> Void
    ) async throws {
        let (status, headers, body) = try await answer(request)
        try receive(.head(TransportHead(status: status, headers: headers)))
        try receive(.bytes(Data(body.utf8)))
    }
}

internal import CredentialStorage
internal import FoundationEssentials

/// Sends requests and follows redirects, and takes the credentials off where they lead elsewhere.
struct Courier: Sendable {
    /// How the last answer of a chain of redirects came.
    struct Arrival: Sendable {
        let head: TransportHead
        /// Whether the one that answered was shown the credentials.
        let isTrusted: Bool
    }

    private struct Redirect: Error {}

    /// How many redirects one request may take.
    static let maximumRedirects = 5
    /// How long a small request may take as a whole.
    var deadline = Duration.seconds(60)

    let transport: any Transport

    /// Sends a request whose answer goes to `sink` piece by piece; what redirects say besides is dropped.
    func send(
        _ request: TransportRequest,
        _ sink: @escaping @Sendable (TransportPiece) throws -> Void
    ) async throws(SDKError) -> Arrival {
        var request = request
        var isTrusted = true
        for _ in 0...Self.maximumRedirects {
            let head = try await exchange(request, sink)
            guard let location = Self.location(head, request) else { return Arrival(head: head, isTrusted: isTrusted) }
            let next = try Address.resolve(location, against: request.url)
            if !Address.isSameOrigin(next, request.url) {
                // For good: a chain that comes back was still written by somebody else.
                request.headers.removeAll { header in
                    [Field.authorization, Field.appKey].contains { isSameHeader($0, header.name) }
                }
                isTrusted = false
            }
            request.url = next
        }
        throw .transport(Phrase.tooManyRedirects)
    }

    /// Sends a request and collects a small answer.
    func fetch(_ request: TransportRequest, limit: Int) async throws(SDKError) -> (Arrival, Data) {
        let body = Locked(Data())
        let collect = { @Sendable (piece: TransportPiece) throws in
            guard case .bytes(let bytes) = piece else { return }
            try body.withLock { body in
                guard body.count + bytes.count <= limit else { throw SDKError.decoding(Phrase.tooLarge) }
                body.append(bytes)
            }
        }
        let arrival = try await within(deadline) { () async throws(SDKError) in try await send(request, collect) }
        return (arrival, body.withLock { $0 })
    }

    private static func location(_ head: TransportHead, _ request: TransportRequest) -> String? {
        // Anything but a GET carries what is not to be repeated elsewhere.
        guard request.method == "GET", [301, 302, 303, 307, 308].contains(head.status) else { return nil }
        return head["Location"]
    }

    private func exchange(
        _ request: TransportRequest,
        _ sink: @escaping @Sendable (TransportPiece) throws -> Void
    ) async throws(SDKError) -> TransportHead {
        let first = Locked<TransportHead?>(nil)
        do {
            try await transport.send(request) { piece in
                if case .head(let head) = piece {
                    first.withLock { $0 = head }
                    if Self.location(head, request) != nil { throw Redirect() }
                }
                try sink(piece)
            }
        } catch {
            guard error is Redirect else { throw Self.error(for: error) }
        }
        guard let head = first.withLock({ $0 }) else { throw .transport(Phrase.brokenOff) }
        return head
    }

    private static func error(for error: any Error) -> SDKError {
        switch error {
        case let error as SDKError: error
        case let failure as TransportFailure: .transport(failure.phrase)
        case is CancellationError: .transport(Phrase.cancelled)
        default: .transport(Task.isCancelled ? Phrase.cancelled : Phrase.failed)
        }
    }

    /// Runs a body that is given up when it takes too long.
    private func within<R: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws(SDKError) -> R
    ) async throws(SDKError) -> R {
        let outcome = await withTaskGroup(of: Result<R, SDKError>?.self) { group in
            group.addTask {
                do throws(SDKError) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let outcome else { throw .transport(Task.isCancelled ? Phrase.cancelled : Phrase.timedOut) }
        return try outcome.get()
    }
}

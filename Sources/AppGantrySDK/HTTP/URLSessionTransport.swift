internal import CredentialStorage
internal import FoundationEssentials
internal import FoundationNetworking

internal import class Foundation.NSObject
internal import struct Foundation.URLError

/// Requests by way of `URLSession`.
///
/// `URLSession` on Linux sends the header `Authorization` on to whatever host a redirect names, so none is followed here.
/// It also gives the delegate of a single task no data, and a session no second delegate: this makes a session of its own
/// with the configuration of the given one.
final class URLSessionTransport: Transport {
    private let session: URLSession
    private let exchanges = Exchanges()
    private let environment: Environment

    init(_ base: URLSession, environment: Environment = .process) {
        self.environment = environment
        let configuration = base.configuration
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    func send(
        _ request: TransportRequest,
        _ receive: @escaping @Sendable (TransportPiece) throws -> Void
    ) async throws {
        try Task.checkCancellation()
        guard !ProxyVariables.sendsAway(request.url, environment) else { throw SDKError.invalidURL(Phrase.proxied) }
        let task = session.dataTask(with: URLRequest(request))
        let exchange = Exchange(receive)
        exchanges.begin(exchange, task)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.start(continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        if let error = exchange.error {
            if Task.isCancelled { throw CancellationError() }
            throw error
        }
    }
}

extension URLRequest {
    fileprivate init(_ request: TransportRequest) {
        self.init(url: request.url)
        httpMethod = request.method
        httpBody = request.body
        httpShouldHandleCookies = false
        cachePolicy = .reloadIgnoringLocalCacheData
        let (seconds, attoseconds) = request.idleTimeout.components
        timeoutInterval = Double(seconds) + Double(attoseconds) / 1e18
        for header in request.headers { setValue(header.value, forHTTPHeaderField: header.name) }
    }
}

/// One request under way.
private final class Exchange: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, Never>?
        var hasHead = false
        var isChallenged = false
        var error: (any Error)?
    }

    private let receive: @Sendable (TransportPiece) throws -> Void
    private let state = Locked(State())

    init(_ receive: @escaping @Sendable (TransportPiece) throws -> Void) { self.receive = receive }

    var error: (any Error)? { state.withLock { $0.error } }

    func start(_ continuation: CheckedContinuation<Void, Never>) {
        state.withLock { $0.continuation = continuation }
    }

    /// Hands on one piece, and says whether more is wanted.
    func take(_ piece: TransportPiece) -> Bool {
        if case .head = piece { state.withLock { $0.hasHead = true } }
        do {
            try receive(piece)
            return true
        } catch {
            state.withLock { $0.error = error }
            return false
        }
    }

    func challenge() { state.withLock { $0.isChallenged = true } }

    func complete(_ error: (any Error)?) {
        let continuation = state.withLock { state in
            // A challenge comes when the answer is whole; to reject it looks like a cancellation afterwards.
            if let error, state.error == nil, !state.isChallenged {
                state.error = TransportFailure(error, hasHead: state.hasHead)
            } else if state.error == nil, !state.hasHead {
                state.error = TransportFailure.brokenOff
            }
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume()
    }
}

extension TransportFailure {
    fileprivate init(_ error: any Error, hasHead: Bool) {
        self =
            switch (error as? URLError)?.code {
            case .timedOut: .timedOut
            case .cannotFindHost, .dnsLookupFailed: .unknownHost
            case .cannotConnectToHost, .notConnectedToInternet: .refused
            case .networkConnectionLost, .badServerResponse: .brokenOff
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired:
                .noTrust
            // curl's other errors all come as "unknown". After a head the only ones left are those of the connection; a
            // certificate that is not trusted can be told by its text only, which goes no further.
            default: hasHead ? .brokenOff : "\(error)".contains("SSL") ? .noTrust : .failed
            }
    }
}

/// The session's delegate, which knows what each of its tasks is for.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let running = Locked<[Int: Exchange]>([:])

    func begin(_ exchange: Exchange, _ task: URLSessionTask) {
        running.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(_ task: URLSessionTask) -> Exchange? { running.withLock { $0[task.taskIdentifier] } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { TransportHeader(name, $0) } }
        }
        let head = TransportHead(status: response.statusCode, headers: headers)
        let goesOn = exchange(dataTask)?.take(.head(head)) ?? false
        completionHandler(goesOn ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let goesOn = exchange(dataTask)?.take(.bytes(data)) ?? false
        if !goesOn { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        exchange(task)?.challenge()
        completionHandler(.rejectProtectionSpace, nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        running.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(error)
    }
}

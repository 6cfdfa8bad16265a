internal import CredentialStorage
internal import FoundationEssentials

/// The calls of the server, without any idea of when they are made.
struct APIClient: Sendable {
    /// The largest answer that is read as JSON.
    static let answerLimit = 1 << 20

    let configuration: AppGantryConfiguration
    var courier: Courier
    var now: @Sendable () -> Date = { Date() }

    init(_ configuration: AppGantryConfiguration, _ transport: any Transport) {
        self.configuration = configuration
        courier = Courier(transport: transport)
    }

    /// Fails before anything is sent or read when the key or the secret is missing.
    func demandConfiguration() throws(SDKError) {
        // The key goes into a header, and must not be able to end it.
        let isText = { (text: String) in text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }
        guard !configuration.appKey.isEmpty, !configuration.appSecret.isEmpty, isText(configuration.appKey) else {
            throw .notConfigured
        }
    }

    /// Makes one call whose answer is JSON.
    func call<Answer: Decodable>(
        _ route: AppGantryDeployment.Route, _ answer: Answer.Type, token: SDKInstallToken?,
        values: [(String, String)] = [], query: [(String, String)] = [], body: (any Encodable & Sendable)? = nil,
        accepts statuses: ClosedRange<Int> = 200...200
    ) async throws(RequestFailure) -> Answer {
        let data = try await exchange(route, token, values, query, body, statuses)
        guard let answer = try? JSONDecoder().decode(Answer.self, from: data) else {
            throw RequestFailure(error: .decoding(Phrase.notJSON))
        }
        return answer
    }

    /// Makes one call whose answer says nothing but its status.
    func tell(
        _ route: AppGantryDeployment.Route, token: SDKInstallToken, body: any Encodable & Sendable
    ) async throws(RequestFailure) {
        _ = try await exchange(route, token, [], [], body, 200...299)
    }

    /// Fetches an icon, whose bytes are not looked at; `nil` where there is none.
    func icon(at address: String, token: SDKInstallToken) async throws(RequestFailure) -> Data? {
        let (arrival, data, showsToken) = try await failing { () async throws(SDKError) in
            let (url, isOurs) = try resolve(address)
            let request = request(url, showing: isOurs ? token : nil)
            let (arrival, data) = try await courier.fetch(request, limit: configuration.iconLimit)
            return (arrival, data, isOurs && arrival.isTrusted)
        }
        switch arrival.head.status {
        case 200: return data
        case 404: return nil
        default: throw failure(arrival.head, data, showsToken: showsToken)
        }
    }

    /// An address that the server named, and whether it is on the server itself.
    func resolve(_ address: String) throws(SDKError) -> (URL, isOurs: Bool) {
        let base = try Address.url(.init("GET", "/"), below: configuration.deployment.baseURL)
        let url = try Address.resolve(address, against: base)
        return (url, Address.isSameOrigin(url, base))
    }

    private func exchange(
        _ route: AppGantryDeployment.Route, _ token: SDKInstallToken?, _ values: [(String, String)],
        _ query: [(String, String)], _ body: (any Encodable & Sendable)?, _ statuses: ClosedRange<Int>
    ) async throws(RequestFailure) -> Data {
        let (arrival, data) = try await failing { () async throws(SDKError) in
            let url = try Address.url(route, below: configuration.deployment.baseURL, values, query: query)
            var request = request(url, method: route.method, showing: token)
            request.headers.append(TransportHeader("Accept", "application/json"))
            if let body {
                guard let data = try? JSONEncoder().encode(body) else { throw .decoding(Phrase.unencodable) }
                request.body = data
                request.headers.append(TransportHeader("Content-Type", "application/json"))
            }
            return try await courier.fetch(request, limit: Self.answerLimit)
        }
        guard statuses.contains(arrival.head.status) else {
            throw failure(arrival.head, data, showsToken: token != nil && arrival.isTrusted)
        }
        return data
    }

    /// A request for an address; it shows the app's key only where it shows a token, which is to the server itself.
    func request(_ url: URL, method: String = "GET", showing token: SDKInstallToken?) -> TransportRequest {
        var headers = [
            TransportHeader("Accept-Encoding", "identity"), TransportHeader("User-Agent", "AppGantrySDK-Linux/1"),
        ]
        if let token {
            // A store of somebody else's may give anything; what would end the header is left out.
            let value = String(String.UnicodeScalarView(token.value.unicodeScalars.filter { $0.value >= 0x20 }))
            headers.append(TransportHeader(Field.authorization, "Bearer \(value)"))
            headers.append(TransportHeader(Field.appKey, configuration.appKey))
        }
        return TransportRequest(method: method, url: url, headers: headers)
    }

    /// Runs what fails for no fault of the token.
    func failing<R>(_ body: () async throws(SDKError) -> R) async throws(RequestFailure) -> R {
        do throws(SDKError) {
            return try await body()
        } catch {
            throw RequestFailure(error: error)
        }
    }

    /// What an answer that is no success means.
    func failure(_ head: TransportHead, _ body: Data, showsToken: Bool) -> RequestFailure {
        let wait = RetryAfter.wait(in: head, now: now())
        let said = try? JSONDecoder().decode(APIErrorBody.self, from: body)
        let error: SDKError
        if let said {
            error = .api(
                status: head.status, body: APIErrorBody(error: said.error, message: said.message, retryAfter: wait))
        } else if head.status == 429 || head["Retry-After"] != nil {
            let fixed = Phrase.noReason
            error = .api(
                status: head.status, body: APIErrorBody(error: fixed.error, message: fixed.message, retryAfter: wait))
        } else {
            error = .unexpectedStatus(head.status)
        }
        // A 401 of somebody who was shown no token says nothing about it.
        return RequestFailure(error: error, refusesToken: head.status == 401 && showsToken)
    }
}

extension APIClient: TokenIssuer {
    func enroll() async -> Result<SDKInstallToken, SDKError> {
        let payload = EnrollmentPayload(
            appKey: configuration.appKey, appSecret: configuration.appSecret, platform: Field.linux)
        return await token { () async throws(RequestFailure) in
            try await call(
                configuration.deployment.enroll, TokenPayload.self, token: nil, body: payload, accepts: 200...201)
        }
    }

    func renew(_ token: SDKInstallToken) async -> Result<SDKInstallToken, SDKError> {
        await self.token { () async throws(RequestFailure) in
            try await call(configuration.deployment.refresh, TokenPayload.self, token: token, accepts: 200...201)
        }
    }

    private func token(
        _ body: () async throws(RequestFailure) -> TokenPayload
    ) async -> Result<SDKInstallToken, SDKError> {
        do throws(RequestFailure) {
            guard let token = try await body().installToken else { return .failure(.decoding(Phrase.badToken)) }
            return .success(token)
        } catch {
            return .failure(error.error)
        }
    }
}

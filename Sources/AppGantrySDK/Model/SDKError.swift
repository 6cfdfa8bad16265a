public import CredentialStorage
public import FoundationEssentials

/// Every failure of the update client.
///
/// The strings in ``decoding(_:)``, ``invalidURL(_:)`` and ``transport(_:)`` are fixed phrases of this module, some with
/// a number: never a token, a secret, an address or a text of the server. The server's own texts are in the body of
/// ``api(status:body:)``, and nothing but its two fields shows them.
public enum SDKError: Error, Sendable, Equatable {
    /// The app key or the app secret is missing. The network was not used.
    case notConfigured
    /// There is no token to renew.
    case notEnrolled
    /// The server refused, and said why.
    ///
    /// It is this case for each status with a body of the server's usual form, for 429, and for each answer with a
    /// `Retry-After` header; the last two have a fixed body where the server's is of another form.
    case api(status: Int, body: APIErrorBody)
    /// The server answered with a status that the call does not expect, and without a usable body.
    case unexpectedStatus(Int)
    /// The server's answer is not what the call expects.
    case decoding(String)
    /// An address cannot be used.
    case invalidURL(String)
    /// The server could not be reached, the exchange broke off, or the received file could not be kept.
    case transport(String)
    /// The token store could not be used. Nothing was enrolled because of it.
    case storage(StorageError)

    /// Whether the server refused the credential, which is ``api(status:body:)`` with status 401 only.
    ///
    /// A refused token leads to one enrolment and one more try by itself, so that this reaches the caller only where
    /// the enrolment was refused: the app secret no longer holds, or the server does not know the app any more.
    public var isUnauthorized: Bool {
        if case .api(status: 401, body: _) = self { true } else { false }
    }
}

extension SDKError: LocalizedError {
    /// One sentence that is safe to show: it holds nothing that the server or the configuration said.
    public var errorDescription: String? {
        switch self {
        case .notConfigured: "The app key or the app secret is missing."
        case .notEnrolled: "This installation has no token yet."
        case .api(status: 401, body: _): "The server does not accept this installation."
        case .api(status: 429, body: _): "The server asks for a pause; try again later."
        case .api(let status, _): "The server refused the request (status \(status))."
        case .unexpectedStatus(let status): "The server answered in an unexpected way (status \(status))."
        case .decoding(let phrase): "The server's answer could not be understood: \(phrase)."
        case .invalidURL(let phrase): "An address could not be used: \(phrase)."
        case .transport(let phrase): "The server could not be reached: \(phrase)."
        case .storage(let error): error.errorDescription
        }
    }

    /// One sentence that says what to do next, where there is one.
    public var recoverySuggestion: String? {
        switch self {
        case .notConfigured: "Give the configuration the key and the secret of the channel's SDK app."
        case .notEnrolled: "Enrol first; every other call does so by itself."
        case .api(status: 401, body: _): "Check that the app secret still holds; a new one comes with a new release."
        case .api(status: 429, body: _): "Wait as long as the body's retryAfter says, and do not ask on a timer."
        case .transport: "Check the network, the proxy and the certificates of this machine."
        case .storage(let error): error.recoverySuggestion
        case .api, .unexpectedStatus, .decoding, .invalidURL: nil
        }
    }
}

extension SDKError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The case with its numbers and fixed phrases, for a log.
    public var description: String {
        switch self {
        case .notConfigured: "notConfigured"
        case .notEnrolled: "notEnrolled"
        case .api(let status, _): "api(status: \(status))"
        case .unexpectedStatus(let status): "unexpectedStatus(\(status))"
        case .decoding(let phrase): "decoding(\(phrase))"
        case .invalidURL(let phrase): "invalidURL(\(phrase))"
        case .transport(let phrase): "transport(\(phrase))"
        case .storage(let error): "storage(\(error))"
        }
    }

    /// The same text.
    public var debugDescription: String { description }
}

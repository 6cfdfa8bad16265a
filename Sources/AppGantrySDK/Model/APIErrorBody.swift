/// What the server says about a failure.
///
/// Both texts are the server's, so that printing the whole value shows a fixed text instead.
public struct APIErrorBody: Sendable, Equatable, Codable {
    /// A short name of the failure, as `rate_limited`.
    public let error: String
    /// A sentence about it.
    public let message: String
    /// How long to wait before the next try, from the answer's `Retry-After` header.
    ///
    /// It is no part of the coded form.
    public let retryAfter: Duration?

    private enum CodingKeys: String, CodingKey {
        case error, message
    }

    /// Makes a body.
    ///
    /// - Parameters:
    ///   - error: A short name of the failure.
    ///   - message: A sentence about it.
    ///   - retryAfter: How long to wait before the next try.
    public init(error: String, message: String, retryAfter: Duration? = nil) {
        self.error = error
        self.message = message
        self.retryAfter = retryAfter
    }

    /// Decodes a body; members besides the two are ignored.
    ///
    /// - Parameter decoder: Where it comes from.
    /// - Throws: A `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        error = try values.decode(String.self, forKey: .error)
        message = try values.decode(String.self, forKey: .message)
        retryAfter = nil
    }
}

extension APIErrorBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "APIErrorBody(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

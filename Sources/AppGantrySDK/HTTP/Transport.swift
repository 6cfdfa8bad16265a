public import FoundationEssentials

/// What carries requests to the server and answers back.
///
/// The client gives addresses that it has looked at, follows redirects itself, and hands over the installation's token
/// as the header `Authorization`. A transport of your own therefore follows no redirect, repeats nothing, and logs no
/// headers.
public protocol Transport: Sendable {
    /// Sends one request, and hands the answer over as it comes.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - receive: Takes the head once, then the pieces of the body in order, one at a time. When it throws, the exchange
    ///     ends and its error is thrown.
    /// - Throws: ``TransportFailure`` where there is no whole answer, what `receive` threw, or `CancellationError`.
    func send(
        _ request: TransportRequest,
        _ receive: @escaping @Sendable (TransportPiece) throws -> Void
    ) async throws
}

/// One request.
public struct TransportRequest: Sendable {
    /// The method, as `GET`.
    public var method: String
    /// The address.
    public var url: URL
    /// The headers; no name is there twice.
    public var headers: [TransportHeader]
    /// What is sent with it.
    public var body: Data?
    /// How long the server may be silent.
    public var idleTimeout: Duration

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The address.
    ///   - headers: The headers.
    ///   - body: What is sent with it.
    ///   - idleTimeout: How long the server may be silent.
    public init(
        method: String, url: URL, headers: [TransportHeader] = [], body: Data? = nil,
        idleTimeout: Duration = .seconds(30)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.idleTimeout = idleTimeout
    }
}

/// One header of a request or an answer.
public struct TransportHeader: Sendable {
    /// Its name, in whatever case.
    public var name: String
    /// Its value.
    public var value: String

    /// Makes a header.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - value: Its value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A part of an answer.
public enum TransportPiece: Sendable {
    /// Its status and headers, which come first.
    case head(TransportHead)
    /// The next bytes of its body.
    case bytes(Data)
}

/// The status and the headers of an answer.
public struct TransportHead: Sendable {
    /// The status, as 200.
    public var status: Int
    /// The headers.
    public var headers: [TransportHeader]

    /// Makes a head.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The headers.
    public init(status: Int, headers: [TransportHeader] = []) {
        self.status = status
        self.headers = headers
    }

    /// The value of a header, whatever the case of its name.
    public subscript(name: String) -> String? {
        headers.first { isSameHeader($0.name, name) }?.value
    }
}

/// Whether two names of headers are the same: ASCII letters compare without their case.
func isSameHeader(_ left: String, _ right: String) -> Bool {
    func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    return left.utf8.elementsEqual(right.utf8) { lowered($0) == lowered($1) }
}

/// Why there is no whole answer.
public enum TransportFailure: Error, Sendable, Equatable {
    /// The connection ended before the answer did.
    case brokenOff
    /// The server was silent for too long.
    case timedOut
    /// The server's name has no address.
    case unknownHost
    /// The connection was refused, or there is no way to the server.
    case refused
    /// The server's certificate, or the encryption, is not to be trusted.
    case noTrust
    /// Anything else.
    case failed

    var phrase: String {
        switch self {
        case .brokenOff: Phrase.brokenOff
        case .timedOut: Phrase.timedOut
        case .unknownHost: Phrase.unknownHost
        case .refused: Phrase.refused
        case .noTrust: Phrase.noTrust
        case .failed: Phrase.failed
        }
    }
}

extension TransportRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "TransportRequest(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TransportHeader: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "TransportHeader(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

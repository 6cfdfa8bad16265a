internal import CredentialStorage
internal import CredentialStorageSealing
internal import FoundationEssentials

/// How far a download is.
public struct DownloadProgress: Sendable, Equatable {
    /// How many bytes are here.
    public let received: Int
    /// How many there will be, or `nil` where the server does not say.
    public let total: Int?

    /// Makes a description of a download.
    ///
    /// - Parameters:
    ///   - received: How many bytes are here.
    ///   - total: How many there will be.
    public init(received: Int, total: Int?) {
        self.received = received
        self.total = total
    }
}

/// One file, received with as many requests as it takes, up to a few.
struct ReleaseDownload: Sendable {
    /// How many requests one file may take when connections break off.
    static let attempts = 4

    let client: APIClient
    let url: URL
    let token: SDKInstallToken?
    let size: Int?
    let checksum: [UInt8]?
    let progress: (@Sendable (DownloadProgress) -> Void)?
    var pause = Duration.milliseconds(200)

    /// Takes the pieces of all requests.
    private final class Sink: Sendable {
        struct State {
            var file: PartialFile
            var validator: String?
            var total: Int?
            /// The body of an answer that is no part of the file.
            var refusal: Data?
        }

        let state: Locked<State>
        let download: ReleaseDownload

        init(_ file: sending PartialFile, _ download: ReleaseDownload) {
            self.download = download
            state = Locked(State(file: file, total: download.size))
        }

        func take(_ piece: TransportPiece, from offset: Int) throws(SDKError) {
            let progress = try state.withLock { (state) throws(SDKError) -> DownloadProgress? in
                switch piece {
                case .head(let head):
                    try begin(head, offset, &state)
                    return nil
                case .bytes(let bytes):
                    if let refusal = state.refusal {
                        state.refusal = refusal + bytes.prefix(max(0, 1 << 16 - refusal.count))
                        return nil
                    }
                    let count = state.file.count + bytes.count
                    if count > download.client.configuration.downloadLimit { throw .decoding(Phrase.tooLarge) }
                    if let total = state.total, count > total { throw .transport(Phrase.wrongLength) }
                    try state.file.append(bytes)
                    return DownloadProgress(received: count, total: state.total)
                }
            }
            if let progress { download.progress?(progress) }
        }

        private func begin(_ head: TransportHead, _ offset: Int, _ state: inout State) throws(SDKError) {
            state.refusal = nil
            var total = head["Content-Length"].flatMap { Int($0) }
            switch head.status {
            case 206 where offset > 0:
                guard let range = ContentRange(head["Content-Range"] ?? ""), range.start == offset else {
                    throw .transport(Phrase.brokenOff)
                }
                total = range.total
            case 200:
                if offset > 0 { try state.file.restart() }
                if download.size == nil { state.total = nil }
            default:
                state.refusal = Data()
                return
            }
            state.validator = head["ETag"].flatMap { $0.hasPrefix("W/") ? nil : $0 }
            if let total {
                if total > download.client.configuration.downloadLimit { throw .decoding(Phrase.tooLarge) }
                if let known = state.total, known != total { throw .transport(Phrase.wrongLength) }
                state.total = total
            }
        }
    }

    /// Receives the file, and gives it its name when it is what the server promised.
    func run(into target: String, _ files: any FileSystem) async throws(RequestFailure) {
        if let size, size > client.configuration.downloadLimit {
            throw RequestFailure(error: .decoding(Phrase.tooLarge))
        }
        let sink = try await client.failing { () async throws(SDKError) in
            Sink(try PartialFile(for: target, files), self)
        }
        // Not left to the end of the last reference: the transport may hold one a moment longer.
        defer { sink.state.withLock { $0.file.discard() } }
        for attempt in 1...Self.attempts {
            do throws(RequestFailure) {
                try await receive(into: sink)
                break
            } catch {
                let isPassing = [Phrase.brokenOff, Phrase.timedOut].contains { error.error == .transport($0) }
                guard isPassing, attempt < Self.attempts, !Task.isCancelled else { throw error }
                try? await Task.sleep(for: pause * attempt)
            }
        }
        try await client.failing { () async throws(SDKError) in
            try sink.state.withLock { (state) throws(SDKError) in
                if let checksum, !state.file.has(checksum) { throw .decoding(Phrase.wrongChecksum) }
                try state.file.keep()
            }
        }
    }

    /// Makes one request for what is missing.
    private func receive(into sink: Sink) async throws(RequestFailure) {
        var request = client.request(url, showing: token)
        let offset = try await client.failing { () async throws(SDKError) in
            try sink.state.withLock { (state) throws(SDKError) in
                guard state.file.count > 0 else { return 0 }
                if let validator = state.validator {
                    request.headers.append(TransportHeader("If-Range", validator))
                } else if checksum == nil {
                    // Nothing would tell that the rest is of another file.
                    try state.file.restart()
                    return 0
                }
                request.headers.append(TransportHeader("Range", "bytes=\(state.file.count)-"))
                return state.file.count
            }
        }
        let arrival = try await client.failing { () async throws(SDKError) in
            try await client.courier.send(request) { try sink.take($0, from: offset) }
        }
        let (refusal, count, total) = sink.state.withLock { ($0.refusal, $0.file.count, $0.total) }
        if let refusal {
            throw client.failure(arrival.head, refusal, showsToken: token != nil && arrival.isTrusted)
        }
        if let total, count < total { throw RequestFailure(error: .transport(Phrase.brokenOff)) }
    }
}

/// The header `Content-Range` of a part of a file.
struct ContentRange: Equatable {
    let start: Int
    /// The length of the whole file, where it is known.
    let total: Int?

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0] == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[0].split(separator: "-").first, let start = Int(first) else {
            return nil
        }
        self.start = start
        total = Int(parts[1])
    }
}

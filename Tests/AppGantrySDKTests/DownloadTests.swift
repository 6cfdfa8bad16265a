import AppGantrySDK
import CredentialStorage
import CredentialStorageSealing
import CredentialTestSupport
import Foundation
import Testing

/// Releases and icons, over cut connections and with wrong lengths.
@Suite("Downloads", .serialized, .timeLimit(.minutes(3)))
struct DownloadTests {
    private let server: UpdateServer
    private let directory: String
    private let client: AppGantryUpdates

    init() async throws {
        server = try UpdateServer()
        directory = try TemporaryDirectory().path
        (client, _) = try await server.enrolledClient()
    }

    private static let size = 3_000_000

    /// The bytes that the server makes from a seed.
    private static let content: Data = {
        var hash = Sha256()
        hash.update([UInt8]("seed".utf8).span)
        let block = hash.finished()
        return Data((0..<size).map { block[$0 % block.count] })
    }()

    private static let checksum: String = {
        var hash = Sha256()
        hash.update([UInt8](content).span)
        return hash.finished().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }()

    private var target: URL { URL(fileURLWithPath: directory + "/release") }
    private var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: directory) } }

    /// Offers one release.
    private func offer(_ file: String = "", _ description: String = "") async throws {
        try await server.set(
            #"{"requests": [], "download": {"r1": {"url": "/files/r1"\#(description)}}, "#
                + #""files": {"r1": {"size": \#(Self.size), "seed": "seed"\#(file)}}}"#)
    }

    private func fetch(_ progress: (@Sendable (DownloadProgress) -> Void)? = nil) async -> SDKError? {
        await failure {
            try await client.downloadRelease("r1", to: target, progress: progress)
        }
    }

    private func ranges() async throws -> [String?] {
        try await server.requests().filter { $0.call == "file" }.map(\.range)
    }

    @Test("a release is written as it comes, with its progress, and replaces what was there")
    func whole() async throws {
        try Data("older".utf8).write(to: target)
        try await offer("", #", "size": \#(Self.size), "sha256": "\#(Self.checksum)""#)
        let seen = Locked<[DownloadProgress]>([])
        #expect(await fetch { progress in seen.withLock { $0.append(progress) } } == nil)
        #expect(try Data(contentsOf: target) == Self.content)
        #expect(try files == ["release"])
        let progress = seen.withLock { $0 }
        #expect(progress.count > 1)
        #expect(progress.last == DownloadProgress(received: Self.size, total: Self.size))
        #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.received < $1.received })
    }

    @Test("without a destination it is in a new private directory, named for its kind")
    func temporary() async throws {
        try await offer("", #", "kind": "deb""#)
        let file = try await client.downloadRelease("r1")
        let parent = file.deletingLastPathComponent()
        #expect(file.lastPathComponent == "release.deb")
        #expect(try Data(contentsOf: file) == Self.content)
        let mode = try FileManager.default.attributesOfItem(atPath: parent.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        try FileManager.default.removeItem(at: parent)
    }

    @Test("a connection that breaks off is taken up where it ended, if that is safe")
    func resumes() async throws {
        try await offer(#", "cuts": [100000, 200000], "etag": "\"a\"""#)
        #expect(await fetch() == nil)
        #expect(try Data(contentsOf: target) == Self.content)
        let ranges = try await ranges()
        #expect(ranges.count == 3)
        #expect(ranges[0] == nil)
        #expect(ranges.dropFirst().allSatisfy { $0?.hasPrefix("bytes=") == true && $0 != "bytes=0-" })
        #expect(try await server.requests().last?.ifRange == "\"a\"")
    }

    @Test("without a mark of the version and a checksum the rest could be of another file: it begins anew")
    func restarts() async throws {
        try await offer(#", "cuts": [100000]"#)
        #expect(await fetch() == nil)
        #expect(try Data(contentsOf: target) == Self.content)
        #expect(try await ranges() == [nil, nil])
    }

    @Test("a server that sends everything instead of the rest is heard from the start")
    func ignoresRange() async throws {
        try await offer(#", "cuts": [100000], "noRange": true"#, #", "sha256": "\#(Self.checksum)""#)
        #expect(await fetch() == nil)
        #expect(try Data(contentsOf: target) == Self.content)
    }

    @Test("a connection that breaks off each time is given up, and nothing stays")
    func givesUp() async throws {
        try await offer(#", "cuts": [1000, 1000, 1000, 1000, 1000]"#)
        #expect(await fetch() == .transport("the connection broke off"))
        #expect(try await ranges().count == 4)
        #expect(try files.isEmpty)
    }

    @Test("a wrong length, a wrong checksum and no checksum at all are refused, and nothing stays")
    func verifies() async throws {
        let wrong = String(repeating: "ab", count: 32)
        for (file, description, expected) in [
            (
                "", #", "size": \#(Self.size - 1)"#,
                SDKError.transport("the file does not have the length that the server gave")
            ),
            ("", #", "size": \#(Self.size + 1)"#, .transport("the file does not have the length that the server gave")),
            (
                #", "noLength": true"#, #", "size": \#(Self.size - 1)"#,
                .transport("the file does not have the length that the server gave")
            ),
            ("", #", "sha256": "\#(wrong)""#, .decoding("the file does not have the checksum that the server gave")),
            ("", #", "sha256": "abc""#, .decoding("a checksum that is no SHA-256")),
        ] {
            try await offer(file, description)
            #expect(await fetch() == expected, "\(file) \(description)")
            #expect(try files.isEmpty)
        }
    }

    @Test("a file beyond the limit is refused, announced or not")
    func limit() async throws {
        var configuration = server.configuration()
        configuration.downloadLimit = 1_000_000
        let store = InMemoryTokenStore()
        try store.save(SDKInstallToken(value: "held"))
        let small = AppGantryUpdates(configuration: configuration, tokenStore: store)
        let target = target
        for (file, description) in [("", ""), (#", "noLength": true"#, ""), ("", #", "size": \#(Self.size)"#)] {
            try await offer(file, description)
            let error = await failure { try await small.downloadRelease("r1", to: target) }
            #expect(error == .decoding("more bytes than allowed"))
            #expect(try files.isEmpty)
        }
    }

    @Test("a cancelled download leaves nothing")
    func cancelled() async throws {
        try await offer(#", "slow": 0.05"#)
        let began = AsyncStream<Void>.makeStream()
        let task = Task { await fetch { _ in began.continuation.yield() } }
        for await _ in began.stream { break }
        task.cancel()
        #expect(await task.value == .transport("cancelled"))
        #expect(try files.isEmpty)
    }

    @Test("a file on another server is fetched without the token, one over plain HTTP elsewhere not at all")
    func elsewhere() async throws {
        try await offer()
        try await server.set(
            #"{"download": {"r1": {"url": "http://127.0.0.1:\#(server.otherPort)/files/r1"}, "#
                + #""r2": {"url": "http://192.0.2.1/r2"}}}"#)
        #expect(await fetch() == nil)
        let last = try #require(try await server.requests().last)
        #expect(last.port == server.otherPort)
        #expect(last.authorization == nil && last.key == nil)
        let url = try await client.downloadURL(forRelease: "r1")
        #expect(url.absoluteString == "http://127.0.0.1:\(server.otherPort)/files/r1")
        let error = await failure { try await client.downloadURL(forRelease: "r2") }
        #expect(error == .invalidURL("neither HTTPS nor plain HTTP on loopback"))
    }

    @Test("a directory that is not there, or not writable, is an error with the system's number")
    func noDirectory() async throws {
        try await offer()
        let nowhere = URL(fileURLWithPath: directory + "/missing/release")
        let error = await failure { try await client.downloadRelease("r1", to: nowhere) }
        #expect(error == .transport("the file could not be kept (errno 2)"))
        let page = try #require(URL(string: "https://192.0.2.1/release"))
        #expect(
            await failure { try await client.downloadRelease("r1", to: page) }
                == .invalidURL("the destination is not a file"))
    }

    @Test("the name of a release is one part of the path, whatever is in it")
    func names() async throws {
        #expect(
            await failure { try await client.downloadURL(forRelease: "..") }
                == .invalidURL("a release without a usable name"))
        _ = await failure { try await client.downloadURL(forRelease: "a/b?c") }
        #expect(try await server.requests().last?.path == "/sdk/v1/releases/a%2Fb%3Fc/download")
    }

    @Test("an icon is its bytes, none where there is none, and refused where it is too large")
    func icons() async throws {
        try await server.set(#"{"files": {"icon": {"text": "icon"}, "big": {"size": 2000000}}}"#)
        #expect(try await client.iconData(for: AppMetadata(name: "x", iconURL: "/files/icon")) == Data("icon".utf8))
        #expect(try await client.iconData(for: AppMetadata(name: "x")) == nil)
        #expect(try await client.iconData(for: AppMetadata(name: "x", iconURL: "/files/none")) == nil)
        let big = AppMetadata(name: "x", iconURL: "/files/big")
        #expect(
            await failure { try await client.iconData(for: big) }
                == .decoding("more bytes than allowed"))
    }
}

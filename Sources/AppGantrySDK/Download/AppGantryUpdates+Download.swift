internal import CredentialStorage
public import FoundationEssentials

extension AppGantryUpdates {
    /// Asks where the file of a release is.
    ///
    /// The address may be good for a short time only, and needs no token where it is on another server.
    ///
    /// - Parameter releaseID: The release, as ``UpdateInfo/releaseID`` names it.
    /// - Returns: The address.
    /// - Throws: An ``SDKError``.
    public func downloadURL(forRelease releaseID: String) async throws -> URL {
        try await authorized { token throws(RequestFailure) in
            let payload = try await describe(releaseID, token)
            return try await client.failing { () async throws(SDKError) in try client.resolve(payload.url).0 }
        }
    }

    /// Fetches the file of a release.
    ///
    /// It is written as it comes, and has its name only when it is whole: as long as the server said, and with the checksum
    /// that the server gave. A connection that breaks off is taken up again, up to three times. Whatever fails, nothing
    /// of the file stays.
    ///
    /// - Parameters:
    ///   - releaseID: The release, as ``UpdateInfo/releaseID`` names it.
    ///   - destination: The file to write, in place of one that is there; `nil` for a new file in a new private directory
    ///     below the one for temporary files, which is then the caller's to remove.
    ///   - progress: Is told after each piece, one at a time, on a thread of the transport.
    /// - Returns: The file.
    /// - Throws: An ``SDKError``; ``SDKError/transport(_:)`` for a wrong length and a full disk,
    ///   ``SDKError/decoding(_:)`` for a wrong checksum and a file beyond ``AppGantryConfiguration/downloadLimit``.
    @discardableResult
    public func downloadRelease(
        _ releaseID: String,
        to destination: URL? = nil,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws -> URL {
        if let destination, !destination.isFileURL { throw SDKError.invalidURL(Phrase.notFile) }
        return try await authorized { token throws(RequestFailure) in
            let payload = try await describe(releaseID, token)
            return try await fetch(payload, token, to: destination?.path, progress)
        }
    }

    func describe(_ releaseID: String, _ token: SDKInstallToken) async throws(RequestFailure) -> DownloadPayload {
        try await client.call(
            configuration.deployment.download, DownloadPayload.self, token: token, values: [(Field.release, releaseID)])
    }

    func fetch(
        _ payload: DownloadPayload, _ token: SDKInstallToken, to destination: String?,
        _ progress: (@Sendable (DownloadProgress) -> Void)?
    ) async throws(RequestFailure) -> URL {
        let download = try await client.failing { () async throws(SDKError) in
            let (url, isOurs) = try client.resolve(payload.url)
            let checksum = try payload.sha256.map { (text) throws(SDKError) in try Self.checksum(text) }
            return ReleaseDownload(
                client: client, url: url, token: isOurs ? token : nil, size: payload.size, checksum: checksum,
                progress: progress)
        }
        let files = PosixFileSystem()
        guard let destination else {
            let directory = try await client.failing { () async throws(SDKError) in
                try Self.temporaryDirectory(files)
            }
            let kind = payload.kind.flatMap(ReleaseKind.init)
            let path = directory + "/release" + (kind.map { "." + $0.suffix } ?? "")
            do throws(RequestFailure) {
                try await download.run(into: path, files)
            } catch {
                try? files.removeDirectory(directory)
                throw error
            }
            return URL(fileURLWithPath: path)
        }
        try await download.run(into: destination, files)
        return URL(fileURLWithPath: destination)
    }

    private static func checksum(_ text: String) throws(SDKError) -> [UInt8] {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard text.utf8.count == 64, digits.count == 64 else { throw .decoding(Phrase.badChecksum) }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func temporaryDirectory(_ files: any FileSystem) throws(SDKError) -> String {
        let base = Environment.process["TMPDIR"] ?? "/tmp"
        let path = "\(base)/appgantry-\(randomName())"
        try keeping { () throws(SystemError) in try files.makeDirectory(path) }
        return path
    }
}

internal import CredentialStorage
public import FoundationEssentials

/// How an app hands a release over to what installs it.
///
/// There is no one way on Linux, so that the app names its own.
///
/// ```swift
/// configuration.installHandOver = .appImage(at: appImagePath)
/// configuration.installHandOver = .command(["pkexec", "apt-get", "install", "-y"], for: [.deb])
/// ```
public struct InstallHandOver: Sendable {
    /// What it takes.
    public let kinds: [ReleaseKind]
    let perform: @Sendable (URL, UpdateInfo) async throws -> Void

    /// Hands over by a function of the app's.
    ///
    /// - Parameters:
    ///   - kinds: What it takes; for a release of any other kind `beginInstall(for:)` says `false`.
    ///   - perform: Takes the file, which is removed when it returns.
    public init(
        _ kinds: [ReleaseKind],
        perform: @escaping @Sendable (_ file: URL, _ update: UpdateInfo) async throws -> Void
    ) {
        self.kinds = kinds
        self.perform = perform
    }

    /// Puts a new AppImage in the place of the present one, at once and as a whole.
    ///
    /// The release is fetched into the same directory, so that no moment has half a program.
    ///
    /// - Parameter path: The present one, as the variable `APPIMAGE` names it.
    /// - Returns: The way.
    public static func appImage(at path: String) -> InstallHandOver {
        InstallHandOver([.appImage]) { file, _ in
            try await offloaded { () throws(SDKError) in try replace(path, by: file.path) }
        }
    }

    /// Gives the file to a command as its last argument, and waits for its end.
    ///
    /// - Parameters:
    ///   - command: The program, which is looked for on `PATH`, and its arguments. No shell sees them.
    ///   - kinds: What it takes.
    /// - Returns: The way.
    public static func command(_ command: [String], for kinds: [ReleaseKind]) -> InstallHandOver {
        InstallHandOver(kinds) { file, _ in
            try await offloaded { () throws(SDKError) in try Installer.run(command + [file.path]) }
        }
    }

    private static func offloaded(_ body: @escaping @Sendable () throws(SDKError) -> Void) async throws {
        try await offload(.write) { try body() }
    }

    /// Copies beside the target and renames, because the file may be on another file system.
    private static func replace(_ target: String, by source: String) throws(SDKError) {
        let files = PosixFileSystem()
        let beside = "\(target).partial-\(randomName())"
        do {
            try copy(source, to: beside, files)
            try keeping { () throws(SystemError) in try files.rename(beside, to: target) }
        } catch {
            try? files.remove(beside)
            throw error
        }
    }

    private static func copy(_ source: String, to target: String, _ files: PosixFileSystem) throws(SDKError) {
        try keeping { () throws(SystemError) in
            let from = try files.open(source, .read)
            defer { files.close(from) }
            let to = try files.open(target, .createNew)
            defer { files.close(to) }
            var offset = 0
            while true {
                let piece = try files.read(from, count: 1 << 20, at: offset)
                guard !piece.isEmpty else { break }
                try files.write(to, piece, at: offset)
                offset += piece.count
            }
            try files.setMode(0o755, of: to)
            try files.sync(to)
        }
    }
}

extension AppGantryUpdates {
    /// Fetches a release and hands it over to what installs it.
    ///
    /// - Parameter info: What ``checkForUpdate()`` gave.
    /// - Returns: `false` where the release cannot install itself: the configuration names no hand-over, or none for this
    ///   kind of release. Nothing was fetched then; offer the file instead, by ``downloadRelease(_:to:progress:)``.
    /// - Throws: An ``SDKError``, also for what the hand-over threw.
    @discardableResult
    public func beginInstall(for info: UpdateInfo) async throws -> Bool {
        try client.demandConfiguration()
        guard let way = configuration.installHandOver, info.updateAvailable, let release = info.releaseID else {
            return false
        }
        let file = try await authorized { token throws(RequestFailure) -> URL? in
            let payload = try await describe(release, token)
            guard let kind = payload.kind.flatMap(ReleaseKind.init), way.kinds.contains(kind) else { return nil }
            return try await fetch(payload, token, to: nil, nil)
        }
        guard let file else { return false }
        let files = PosixFileSystem()
        defer {
            try? files.remove(file.path)
            try? files.removeDirectory(file.deletingLastPathComponent().path)
        }
        do {
            try await way.perform(file, info)
        } catch {
            throw error as? SDKError ?? .transport(Task.isCancelled ? Phrase.cancelled : Phrase.installerThrew)
        }
        return true
    }
}

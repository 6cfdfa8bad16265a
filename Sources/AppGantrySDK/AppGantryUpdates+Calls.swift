public import CredentialStorage
public import FoundationEssentials

extension AppGantryUpdates {
    /// Asks whether there is a newer release than the one that runs.
    ///
    /// A release that is not yet published into the app's channel is none: the answer then is "no", not an error.
    ///
    /// - Returns: What the server says.
    /// - Throws: An ``SDKError``.
    public func checkForUpdate() async throws -> UpdateInfo {
        var query = [(Field.platform, Field.linux), (Field.architecture, Self.architecture)]
        if let name = configuration.versionName, !name.isEmpty { query.append((Field.versionName, name)) }
        if let number = configuration.buildNumber { query.append((Field.buildNumber, String(number))) }
        return try await authorized { [query] token throws(RequestFailure) in
            try await client.call(
                configuration.deployment.checkForUpdate, UpdateInfo.self, token: token, query: query)
        }
    }

    /// Asks what the app is called and what it looks like.
    ///
    /// - Returns: What the server says.
    /// - Throws: An ``SDKError``.
    public func appMetadata() async throws -> AppMetadata {
        try await authorized { token throws(RequestFailure) in
            try await client.call(configuration.deployment.appMetadata, AppMetadata.self, token: token)
        }
    }

    /// Fetches the app's icon.
    ///
    /// - Parameter metadata: What ``appMetadata()`` gave.
    /// - Returns: The bytes of an image, or `nil` where the app has no icon.
    /// - Throws: An ``SDKError``; ``SDKError/decoding(_:)`` for one that is larger than
    ///   ``AppGantryConfiguration/iconLimit``.
    public func iconData(for metadata: AppMetadata) async throws -> Data? {
        guard let address = metadata.iconURL, !address.isEmpty else {
            try client.demandConfiguration()
            return nil
        }
        return try await authorized { token throws(RequestFailure) in
            try await client.icon(at: address, token: token)
        }
    }

    /// Tells the server about one step of an installation.
    ///
    /// - Parameters:
    ///   - stage: The step.
    ///   - releaseID: The release, as ``UpdateInfo/releaseID`` names it.
    /// - Throws: An ``SDKError``.
    public func reportInstall(_ stage: InstallStage, forRelease releaseID: String) async throws {
        let payload = InstallPayload(
            release: releaseID, stage: stage, versionName: configuration.versionName,
            buildNumber: configuration.buildNumber)
        try await authorized { token throws(RequestFailure) in
            try await client.tell(configuration.deployment.reportInstall, token: token, body: payload)
        }
    }

    /// Enrols this installation anew, whether it has a token or not.
    ///
    /// Nobody needs to call it: every other call enrols by itself where there is no token.
    ///
    /// - Returns: The new token, which is stored.
    /// - Throws: An ``SDKError``.
    @discardableResult
    public func enroll() async throws -> SDKInstallToken {
        try client.demandConfiguration()
        return try await keeper.change(.enrolment).get()
    }

    /// Renews the present token.
    ///
    /// A token that the server refuses is not renewed, and not replaced either: the next other call does that.
    ///
    /// - Returns: The new token, which is stored.
    /// - Throws: An ``SDKError``; ``SDKError/notEnrolled`` where there is no token.
    @discardableResult
    public func refresh() async throws -> SDKInstallToken {
        try client.demandConfiguration()
        return try await keeper.change(.renewal).get()
    }

    /// Makes a call with the installation's token, once it is clear that there can be one.
    func authorized<R>(_ call: (SDKInstallToken) async throws(RequestFailure) -> R) async throws(SDKError) -> R {
        try client.demandConfiguration()
        return try await keeper.call(call)
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "other"
        #endif
    }
}

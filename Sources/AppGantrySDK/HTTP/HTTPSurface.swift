internal import CredentialStorage
public import FoundationEssentials

/// Where the server is and which paths it has: all that differs between two deployments, as one value.
///
/// The payloads are in the same file; the module's page in the documents shows both.
///
/// ```swift
/// configuration.deployment = AppGantryDeployment(baseURL: myServer)
/// ```
public struct AppGantryDeployment: Sendable, Equatable {
    /// One call: its method and its path.
    ///
    /// A name in braces in the path stands for a value that the call puts there, percent-encoded.
    public struct Route: Sendable, Equatable {
        /// The method, as `GET`.
        public var method: String
        /// The path below the base address.
        public var path: String

        /// Makes a route.
        ///
        /// - Parameters:
        ///   - method: The method.
        ///   - path: The path below the base address.
        public init(_ method: String, _ path: String) {
            self.method = method
            self.path = path
        }
    }

    /// The address that every path hangs below: HTTPS, or plain HTTP on loopback.
    public var baseURL: URL?
    /// Exchanges the app secret for a token; the only call without one.
    public var enroll = Route("POST", "/sdk/v1/enroll")
    /// Exchanges the present token for a newer one.
    public var refresh = Route("POST", "/sdk/v1/token/refresh")
    /// Describes the app.
    public var appMetadata = Route("GET", "/sdk/v1/app")
    /// Says whether there is a newer release.
    public var checkForUpdate = Route("GET", "/sdk/v1/updates")
    /// Describes the file of one release.
    public var download = Route("GET", "/sdk/v1/releases/{release}/download")
    /// Takes note of one step of an installation.
    public var reportInstall = Route("POST", "/sdk/v1/installs")

    /// Names a server with the usual paths.
    ///
    /// - Parameter baseURL: The address that every path hangs below; `nil` answers each call with
    ///   ``SDKError/invalidURL(_:)``.
    public init(baseURL: URL?) { self.baseURL = baseURL }

    /// The service's own server, `https://api.appgantry.com`.
    public static let appGantry = AppGantryDeployment(baseURL: URL(string: "https://api.appgantry.com"))
}

/// The names in requests.
enum Field {
    static let authorization = "Authorization"
    static let appKey = "X-AppGantry-App-Key"
    static let platform = "platform"
    static let architecture = "arch"
    static let versionName = "versionName"
    static let buildNumber = "buildNumber"
    static let release = "release"
    static let linux = "linux"
}

/// What is sent to enrol.
struct EnrollmentPayload: Codable {
    let appKey: String
    let appSecret: String
    let platform: String
}

/// What an enrolment and a renewal answer.
struct TokenPayload: Codable {
    let token: String
    /// Seconds since 1970; only the server judges by it, so that the clocks of the two need not agree.
    let expiresAt: Double?
    let installID: String?

    var installToken: SDKInstallToken? {
        // What goes into a header must not be able to end it.
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return SDKInstallToken(
            value: token, expiresAt: expiresAt.map { Date(timeIntervalSince1970: $0) }, installID: installID)
    }
}

/// How the file of a release is had.
struct DownloadPayload: Codable {
    /// Absolute, or relative to the server.
    let url: String
    let size: Int?
    /// SHA-256 in hexadecimal digits.
    let sha256: String?
    /// One of ``ReleaseKind``, or something newer.
    let kind: String?
}

/// What is sent about one step of an installation.
struct InstallPayload: Codable {
    let release: String
    let stage: InstallStage
    let versionName: String?
    let buildNumber: Int?
}

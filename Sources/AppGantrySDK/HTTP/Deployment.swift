public import FoundationEssentials

/// Where the server is and which paths it has: all that differs between two deployments, as one value.
///
/// The payloads are in the same file; the module's page in the documents shows both.
///
/// ```swift
/// configuration.deployment = Deployment(baseURL: myServer)
/// ```
public struct Deployment: Sendable, Equatable {
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
    public static let appGantry = Deployment(baseURL: URL(string: "https://api.appgantry.com"))
}

public import CredentialStorage
public import CredentialStorageAutomatic

/// What the update client needs to know about the app that it updates.
///
/// ```swift
/// var configuration = AppGantryConfiguration(appKey: key, appSecret: secret, service: "org.example.app")
/// configuration.versionName = "2.0.1"
/// ```
///
/// Printing it in any way shows a fixed text.
public struct AppGantryConfiguration: Sendable {
    /// The key of the channel's SDK app.
    public var appKey: String
    /// The secret of the channel's SDK app, which leaves this machine in enrolments only.
    public var appSecret: String
    /// The application's namespace, under which the token is stored.
    public var service: String
    /// The version name of the program that runs.
    public var versionName: String?
    /// The build number of the program that runs.
    public var buildNumber: Int?
    /// The server and its paths.
    public var deployment = AppGantryDeployment.appGantry
    /// Which kinds of store may hold the token, unless the client is given a store.
    ///
    /// Memory is used only where it is named here, and then the log says so once.
    public var storePolicy = AutomaticPolicy.durable
    /// The largest icon that is fetched, in bytes.
    public var iconLimit = 1 << 20
    /// The largest release that is fetched, in bytes.
    public var downloadLimit = 4 << 30
    /// How a release is installed; `nil` where the app has no way to do it, and `beginInstall(for:)` says `false`.
    public var installHandOver: InstallHandOver?
    /// Takes the client's records, and those of the store that it makes.
    public var log = StorageLog.default

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - appKey: The key of the channel's SDK app.
    ///   - appSecret: The secret of the channel's SDK app.
    ///   - service: The application's namespace: 1 to 128 of `A-Z a-z 0-9 . _ -`.
    public init(appKey: String, appSecret: String, service: String) {
        self.appKey = appKey
        self.appSecret = appSecret
        self.service = service
    }
}

extension AppGantryConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "AppGantryConfiguration(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What the server says about the app itself.
///
/// All texts are the server's. Show them through something that makes control characters harmless.
public struct AppMetadata: Sendable, Equatable, Codable {
    /// The app's name, for people.
    public let name: String
    /// The version name of the newest release in the channel, or `nil` where there is none.
    public let latestVersionName: String?
    /// The build number of that release.
    public let latestBuildNumber: Int?
    /// Where the icon is, absolute or relative to the server; `nil` for an app without one.
    ///
    /// `iconData(for:)` fetches it.
    public let iconURL: String?

    /// Makes a description of an app.
    ///
    /// - Parameters:
    ///   - name: The app's name.
    ///   - latestVersionName: The version name of the newest release.
    ///   - latestBuildNumber: The build number of that release.
    ///   - iconURL: Where the icon is.
    public init(
        name: String,
        latestVersionName: String? = nil,
        latestBuildNumber: Int? = nil,
        iconURL: String? = nil
    ) {
        self.name = name
        self.latestVersionName = latestVersionName
        self.latestBuildNumber = latestBuildNumber
        self.iconURL = iconURL
    }
}

internal import CCredentialShims
public import FoundationEssentials

/// What an update prompt says.
///
/// The texts are the server's, unchanged; whoever shows them makes them harmless, as ``UpdatePromptView`` does. What is
/// missing is simply not shown.
public struct UpdatePromptContent: Sendable, Equatable {
    /// The app's name.
    public let appName: String
    /// The version name of the update, or `nil`.
    public let versionName: String?
    /// The build number of the update, or `nil`.
    public let buildNumber: Int?
    /// What is new, or `nil`.
    public let releaseNotes: String?
    /// Whether the person may not put the update off.
    public let isMandatory: Bool
    /// The icon as the server sent it, or `nil`.
    public let iconData: Data?
    /// Whether there is an update; where there is none, a view shows nothing.
    public let isAvailable: Bool

    /// Makes the content of a prompt from what the server said.
    ///
    /// The version shown is the update's own, and the metadata's where the update names none. Without metadata, or where
    /// its name is empty, the app goes by the name of this process.
    ///
    /// - Parameters:
    ///   - update: The answer of `checkForUpdate()`.
    ///   - metadata: The answer of `appMetadata()`.
    ///   - iconData: The answer of `iconData(for:)`.
    public init(update: UpdateInfo, metadata: AppMetadata? = nil, iconData: Data? = nil) {
        let name = metadata?.name ?? ""
        appName = name.isEmpty ? Self.processName : name
        versionName = update.latestVersionName ?? metadata?.latestVersionName
        // A number beside another release's name would be wrong.
        buildNumber = update.latestBuildNumber ?? (update.latestVersionName == nil ? metadata?.latestBuildNumber : nil)
        releaseNotes = update.releaseNotes
        isMandatory = update.isMandatory
        self.iconData = iconData
        isAvailable = update.updateAvailable
    }

    /// Makes the content of a prompt from its parts.
    ///
    /// - Parameters:
    ///   - appName: The app's name.
    ///   - versionName: The version name of the update.
    ///   - buildNumber: The build number of the update.
    ///   - releaseNotes: What is new.
    ///   - isMandatory: Whether the person may not put the update off.
    ///   - iconData: The icon, a PNG.
    public init(
        appName: String,
        versionName: String? = nil,
        buildNumber: Int? = nil,
        releaseNotes: String? = nil,
        isMandatory: Bool = false,
        iconData: Data? = nil
    ) {
        self.appName = appName
        self.versionName = versionName
        self.buildNumber = buildNumber
        self.releaseNotes = releaseNotes
        self.isMandatory = isMandatory
        self.iconData = iconData
        isAvailable = true
    }

    /// The name that this process was started by.
    static var processName: String {
        guard ccs_argument_count() > 0, let word = unsafe ccs_argument(0) else { return "" }
        return unsafe String(cString: word).split(separator: "/").last.map(String.init) ?? ""
    }
}

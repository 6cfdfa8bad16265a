/// What the server says about updates for this installation.
///
/// All texts are the server's. Show them through something that makes control characters harmless.
public struct UpdateInfo: Sendable, Equatable, Codable {
    /// Whether there is a release that is newer than the one that asked.
    public let updateAvailable: Bool
    /// The version name of that release, as `2.1.0`.
    public let latestVersionName: String?
    /// The build number of that release.
    public let latestBuildNumber: Int?
    /// What `downloadRelease(_:)` and `beginInstall(for:)` know that release by.
    public let releaseID: String?
    /// What is new, or `nil` where the release says nothing.
    public let releaseNotes: String?
    /// Whether the person may not put the update off.
    public let isMandatory: Bool

    /// Makes a description of an update.
    ///
    /// - Parameters:
    ///   - updateAvailable: Whether there is a newer release.
    ///   - latestVersionName: Its version name.
    ///   - latestBuildNumber: Its build number.
    ///   - releaseID: What it is known by.
    ///   - releaseNotes: What is new.
    ///   - isMandatory: Whether the person may not put it off.
    public init(
        updateAvailable: Bool,
        latestVersionName: String? = nil,
        latestBuildNumber: Int? = nil,
        releaseID: String? = nil,
        releaseNotes: String? = nil,
        isMandatory: Bool = false
    ) {
        self.updateAvailable = updateAvailable
        self.latestVersionName = latestVersionName
        self.latestBuildNumber = latestBuildNumber
        self.releaseID = releaseID
        self.releaseNotes = releaseNotes
        self.isMandatory = isMandatory
    }

    /// Decodes a description; an answer that does not say whether the update is mandatory means that it is not.
    ///
    /// - Parameter decoder: Where it comes from.
    /// - Throws: A `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        updateAvailable = try values.decode(Bool.self, forKey: .updateAvailable)
        latestVersionName = try values.decodeIfPresent(String.self, forKey: .latestVersionName)
        latestBuildNumber = try values.decodeIfPresent(Int.self, forKey: .latestBuildNumber)
        releaseID = try values.decodeIfPresent(String.self, forKey: .releaseID)
        releaseNotes = try values.decodeIfPresent(String.self, forKey: .releaseNotes)
        isMandatory = try values.decodeIfPresent(Bool.self, forKey: .isMandatory) ?? false
    }
}

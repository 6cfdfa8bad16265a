/// A step of an installation, as `reportInstall(_:forRelease:)` reports it.
public enum InstallStage: String, Sendable, Codable, CaseIterable {
    /// The person agreed to the update.
    case started
    /// The file of the release is here.
    case downloaded
    /// The release runs.
    case completed
    /// Something went wrong.
    case failed
}

/// What the file of a release is.
public enum ReleaseKind: String, Sendable, Codable, CaseIterable {
    /// A program in one file that mounts itself.
    case appImage = "appimage"
    /// A Debian package.
    case deb
    /// A package of the RPM family.
    case rpm
    /// A Flatpak bundle.
    case flatpak

    /// How the file's name ends, which package managers look at.
    var suffix: String { self == .appImage ? "AppImage" : rawValue }
}

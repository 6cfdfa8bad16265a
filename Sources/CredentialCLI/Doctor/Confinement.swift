package import CredentialStorage

/// The sandbox that this program runs in, which decides what it reaches of the bus.
package enum Confinement: String, Sendable {
    case flatpak, snap, none

    /// Looks at the marks that the sandboxes leave.
    package static func here(
        _ environment: Environment = .process, _ fileSystem: any FileSystem = PosixFileSystem()
    ) -> Confinement {
        if (try? fileSystem.status(at: "/.flatpak-info", followingLink: false)) != nil { return .flatpak }
        return environment["SNAP"] != nil && environment["SNAP_NAME"] != nil ? .snap : .none
    }
}

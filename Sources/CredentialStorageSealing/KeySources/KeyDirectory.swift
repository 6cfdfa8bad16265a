internal import CredentialStorage

/// The directory that a key stands in.
enum KeyDirectory {
    /// Whoever can write to the directory can put another key in the place of the one that is there.
    ///
    /// A directory of the system's is as good as an own one, and so is one where everybody may write and nobody may
    /// rename what is another's.
    static func check(_ path: String, _ fileSystem: any FileSystem) throws(StorageFault) {
        guard let status = try? fileSystem.status(at: path, followingLink: true) else { return }
        let isSticky = status.mode & 0o1000 != 0
        guard [0, fileSystem.user].contains(status.owner), status.mode & 0o022 == 0 || isSticky else {
            throw .unavailable(.insecurePermissions)
        }
    }
}

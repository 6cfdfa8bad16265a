internal import CredentialStorage
internal import Glibc

/// Where a vault's files are.
struct VaultLocation: Sendable, Equatable {
    static let fileName = "credentials.vault"

    /// What the file systems of Linux allow for one name.
    private static let longestName = 255

    let vault: String

    var directory: String { parentDirectory(of: vault) }
    static let companionSuffix = ".lock"

    var companion: String { vault + Self.companionSuffix }
    /// A vault in the making; whoever holds its lock owns it, and one that nobody holds is litter.
    var unfinished: String { vault + ".new" }

    /// Throws where the names of the files that a vault may need beside it would be too long, those that are kept aside
    /// most of all.
    func checkNames() throws(StorageFault) {
        let longest = Self.longestName - KeptAside.suffix(KeptAside.mostNumbers).utf8.count
        guard Self.nameLength(of: vault) <= longest else { throw Self.nameTooLong }
    }

    private static let nameTooLong = StorageFault.unavailable(.noStorageLocation, .errno(ENAMETOOLONG))

    private static func nameLength(of path: String) -> Int {
        path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.count
    }

    /// The first of: the named path, the group's directory, `$STATE_DIRECTORY`, the service's own directory.
    init(_ options: StorageBuilder.EncryptedFile.Options) throws(StorageFault) {
        let service = try ServiceName(checking: options.service)
        var group: ServiceName?
        if let name = options.group { group = try ServiceName(checking: name) }
        if let path = options.path {
            guard !path.isEmpty, !path.utf8.contains(0), path.utf8.last != UInt8(ascii: "/") else {
                throw .unavailable(.noStorageLocation)
            }
            // Its companion has a longer name, and without that there is no vault.
            guard Self.nameLength(of: path) + Self.companionSuffix.utf8.count <= Self.longestName else {
                throw Self.nameTooLong
            }
            vault = path
            return
        }
        if group == nil, let listed = try options.environment.place("STATE_DIRECTORY") {
            // systemd lists several with colons; the first is the service's own.
            let first = listed.utf8.prefix { $0 != UInt8(ascii: ":") }
            guard let directory = String(first), directory.hasPrefix("/") else {
                throw .unavailable(.noStorageLocation)
            }
            vault = "\(directory)/\(Self.fileName)"
            return
        }
        let base = try BaseDirectory.data.path(options.environment, options.fileSystem)
        vault = "\(base)/\((group ?? service).text)/\(Self.fileName)"
    }
}

package import CredentialStorage

/// A kind of file system, and whether it keeps what a vault needs: locks that hold, and syncs that mean something.
///
/// To add one, add a row to ``all``.
package struct FileSystemKind: Sendable {
    private enum Use: Sendable {
        case local
        /// On a network or in a cluster: no vault is kept there.
        case refused
        /// Gone with the next boot.
        case volatile
    }

    private let number: Int
    package let name: String
    private let use: Use
    /// Whether a mapped file shows at once what another process writes with a call.
    private let isCoherent: Bool

    package var isNetwork: Bool { use == .refused }
    package var isVolatile: Bool { use == .volatile }

    private init(_ number: Int, _ name: String, _ use: Use = .local, isCoherent: Bool = false) {
        self.number = number
        self.name = name
        self.use = use
        self.isCoherent = isCoherent
    }

    /// The kinds that have a name here, by their magic numbers.
    private static let all = [
        FileSystemKind(0x6969, "NFS", .refused),
        FileSystemKind(0x517B, "SMB", .refused), FileSystemKind(0xFF53_4D42, "CIFS", .refused),
        FileSystemKind(0xFE53_4D42, "SMB 2", .refused),
        FileSystemKind(0x0102_1997, "9p", .refused),
        FileSystemKind(0x00C3_6400, "Ceph", .refused),
        FileSystemKind(0x5346_414F, "AFS", .refused),
        FileSystemKind(0x7461_636F, "OCFS2", .refused),
        FileSystemKind(0x0116_1970, "GFS2", .refused),
        FileSystemKind(0x0BD0_0BD0, "Lustre", .refused),
        FileSystemKind(0x0102_1994, "tmpfs", .volatile, isCoherent: true),
        FileSystemKind(0x8584_58F6, "ramfs", .volatile),
        FileSystemKind(0xEF53, "ext4", isCoherent: true), FileSystemKind(0x9123_683E, "btrfs", isCoherent: true),
        FileSystemKind(0x5846_5342, "XFS", isCoherent: true), FileSystemKind(0xF2F5_2010, "F2FS", isCoherent: true),
        // Of an overlay, a file that is open for writing is the upper one.
        FileSystemKind(0x794C_7630, "overlayfs", isCoherent: true),
        FileSystemKind(0x2FC1_2FC1, "ZFS"), FileSystemKind(0xCA45_1A4E, "bcachefs"), FileSystemKind(0xF15F, "eCryptfs"),
        FileSystemKind(0x7371_7368, "squashfs"), FileSystemKind(0x4D44, "FAT"), FileSystemKind(0x2011_BAB0, "exFAT"),
        FileSystemKind(0x5346_544E, "NTFS"), FileSystemKind(0x7366_746E, "NTFS"), FileSystemKind(0x6573_5546, "FUSE"),
    ]

    private init(numbered number: Int) {
        self = Self.all.first { $0.number == number } ?? Self(number, "unknown, 0x" + String(number, radix: 16))
    }

    /// The file system of a directory, or of the nearest one above it that is there; `nil` where that cannot be learnt.
    package static func holding(
        directory: String, _ fileSystem: any FileSystem = PosixFileSystem()
    ) -> FileSystemKind? {
        var path = directory
        while (try? fileSystem.status(at: path, followingLink: true)) == nil {
            let parent = parentDirectory(of: path)
            guard parent != path else { return nil }
            path = parent
        }
        guard let directory = try? fileSystem.open(path, .directory) else { return nil }
        defer { fileSystem.close(directory) }
        return (try? fileSystem.fileSystemKind(of: directory)).map { FileSystemKind(numbered: $0) }
    }

    static func check(_ file: FileHandle, _ fileSystem: any FileSystem) throws(StorageFault) {
        let number = try faulting { () throws(SystemError) in try fileSystem.fileSystemKind(of: file) }
        guard !FileSystemKind(numbered: number).isNetwork else { throw .unavailable(.unsupportedFileSystem) }
    }

    static func isVolatile(_ file: FileHandle, _ fileSystem: any FileSystem) -> Bool {
        guard let number = try? fileSystem.fileSystemKind(of: file) else { return false }
        return FileSystemKind(numbered: number).isVolatile
    }

    static func isMappable(_ file: FileHandle, _ fileSystem: any FileSystem) -> Bool {
        guard let number = try? fileSystem.fileSystemKind(of: file) else { return false }
        return FileSystemKind(numbered: number).isCoherent
    }
}

internal import CredentialStorage

/// Which file systems keep what a vault needs: locks that hold, and syncs that mean something.
enum FileSystemKind {
    /// Network and cluster file systems, by their magic numbers.
    private static let refused: Set<Int> = [
        0x6969,  // NFS
        0x517B, 0xFF53_4D42, 0xFE53_4D42,  // SMB and CIFS
        0x0102_1997,  // 9p
        0x00C3_6400,  // Ceph
        0x5346_414F,  // AFS
        0x7461_636F,  // OCFS2
        0x0116_1970,  // GFS2
        0x0BD0_0BD0,  // Lustre
    ]
    private static let tmpfs = 0x0102_1994
    private static let volatile: Set<Int> = [
        tmpfs,
        0x8584_58F6,  // ramfs
    ]

    /// Those whose mapped files show at once what another process writes with a call.
    private static let coherent: Set<Int> = [
        0xEF53,  // ext2, ext3, ext4
        0x5846_5342,  // XFS
        0x9123_683E,  // Btrfs
        0xF2F5_2010,  // F2FS
        tmpfs,
        0x794C_7630,  // overlayfs; the file is open for writing, so it is the upper one
    ]

    static func isMappable(_ file: FileHandle, _ fileSystem: any FileSystem) -> Bool {
        guard let kind = try? fileSystem.fileSystemKind(of: file) else { return false }
        return coherent.contains(kind)
    }

    static func check(_ file: FileHandle, _ fileSystem: any FileSystem) throws(StorageFault) {
        let kind = try faulting { () throws(SystemError) in try fileSystem.fileSystemKind(of: file) }
        guard !refused.contains(kind) else { throw .unavailable(.unsupportedFileSystem) }
    }

    static func isVolatile(_ file: FileHandle, _ fileSystem: any FileSystem) -> Bool {
        guard let kind = try? fileSystem.fileSystemKind(of: file) else { return false }
        return volatile.contains(kind)
    }
}

internal import CredentialStorage

/// A second name for a vault that is about to be replaced, so that nothing of it is lost.
enum KeptAside {
    private static let mostNumbers = 10_000

    /// Gives the vault's file a second name beside it, or finds the one that an earlier try gave it.
    ///
    /// - Returns: The name, without its directory.
    /// - Throws: `conflict` when all numbers are taken.
    static func keep(_ location: VaultLocation, _ fileSystem: any FileSystem) throws(StorageFault) -> String {
        let vault = try faulting { () throws(SystemError) in
            try fileSystem.status(at: location.vault, followingLink: false)
        }
        for number in 1...mostNumbers {
            let path = "\(location.vault).old-\(number)"
            let isKept = try faulting { () throws(SystemError) in
                do throws(SystemError) {
                    return try fileSystem.status(at: path, followingLink: false).isSameFile(as: vault)
                } catch {
                    guard error.isAbsence else { throw error }
                    return try link(location.vault, to: path, fileSystem)
                }
            }
            guard isKept else { continue }
            try faulting { () throws(SystemError) in try syncDirectory(location.directory, fileSystem) }
            return lastComponent(of: path)
        }
        throw .conflict
    }

    /// Makes the name unless something stands there by now.
    private static func link(
        _ source: String,
        to target: String,
        _ fileSystem: any FileSystem
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try fileSystem.link(source, to: target)
            return true
        } catch {
            guard error.isPresence else { throw error }
            return false
        }
    }

    private static func lastComponent(of path: String) -> String {
        let bytes = path.utf8
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        return String(path[start...])
    }
}

internal import CredentialStorage

/// A second name for a vault that is about to be replaced, so that nothing of it is lost.
struct KeptAside {
    /// The name, without its directory.
    let name: String
    /// Whether the name was not there before.
    private let isNew: Bool

    static let mostNumbers = 10_000

    static func suffix(_ number: Int) -> String { ".old-\(number)" }

    /// Gives the vault's file a second name beside it, or finds the one that an earlier try gave it.
    ///
    /// - Returns: The second name.
    /// - Throws: `conflict` when all numbers are taken.
    static func keep(_ location: VaultLocation, _ fileSystem: any FileSystem) throws(StorageFault) -> KeptAside {
        // One that somebody gave a longer name by hand.
        try location.checkNames()
        let vault = try faulting { () throws(SystemError) in
            try fileSystem.status(at: location.vault, followingLink: false)
        }
        for number in 1...mostNumbers {
            let path = location.vault + suffix(number)
            var isNew = false
            let isKept = try faulting { () throws(SystemError) in
                do throws(SystemError) {
                    return try fileSystem.status(at: path, followingLink: false).isSameFile(as: vault)
                } catch {
                    guard error.isAbsence else { throw error }
                    isNew = try link(location.vault, to: path, fileSystem)
                    return isNew
                }
            }
            guard isKept else { continue }
            let aside = KeptAside(name: lastComponent(of: path), isNew: isNew)
            do throws(SystemError) {
                try syncDirectory(location.directory, fileSystem)
            } catch {
                aside.takeBack(location, fileSystem)
                throw error.fault
            }
            return aside
        }
        throw .conflict
    }

    /// Removes the name again where the vault was not replaced after all.
    ///
    /// It stays where it could be the last one of its file, or was there before.
    func takeBack(_ location: VaultLocation, _ fileSystem: any FileSystem) {
        let path = "\(location.directory)/\(name)"
        guard isNew, let kept = try? fileSystem.status(at: path, followingLink: false),
            let vault = try? fileSystem.status(at: location.vault, followingLink: false), kept.isSameFile(as: vault)
        else { return }
        try? fileSystem.remove(path)
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

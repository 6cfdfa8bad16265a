internal import CredentialStorage
internal import Glibc

/// Tells a vault in the making from anything else that may stand at its path.
///
/// What a killed maker leaves is empty, or a header without a single frame, and never has a companion. Everything
/// else belongs to somebody, be it another vault of that name, and is neither removed nor written over.
enum UnfinishedVault {
    static func isOurs(_ file: FileHandle, at path: String, _ fileSystem: any FileSystem) throws(SystemError) -> Bool {
        let status = try fileSystem.status(of: file)
        guard status.kind == .regular, status.owner == fileSystem.user, status.size <= Layout.initialSize else {
            return false
        }
        do throws(SystemError) {
            _ = try fileSystem.status(at: path + VaultLocation.companionSuffix, followingLink: false)
            return false
        } catch {
            // A name that is too long stands nowhere.
            guard error.isAbsence || error.number == ENAMETOOLONG else { throw error }
        }
        let bytes = try fileSystem.read(file, count: status.size, at: 0)
        let beginning = bytes.prefix(Layout.magic.count)
        guard beginning.allSatisfy({ $0 == 0 }) || Layout.magic.starts(with: beginning) else { return false }
        return bytes.dropFirst(Layout.logStart).allSatisfy { $0 == 0 }
    }
}

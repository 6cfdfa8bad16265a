internal import CredentialStorage
internal import CredentialStorageFile
internal import Glibc

extension EncryptedFileStorage {
    /// Why a first write could make no vault, or not the key file that no option names; `nil` where a look finds nothing.
    func obstacleToFirstWrite(under key: Options.Key) -> Failure? {
        guard !hasVault, let vault = vaultPath else { return nil }
        if let number = Self.obstacle(toMaking: vault) {
            return Failure(StorageFault.system(number)).saying(
                "There is no vault yet, and none can be made in its directory.",
                "Check the owner and the mode of the directory and of those above it, or name another path.")
        }
        guard key == .standard else { return nil }
        guard let keyPath else {
            return Failure(StorageFault.unavailable(.noStorageLocation)).saying(
                "There is no place for the key file of a first vault.",
                "Set HOME or XDG_CONFIG_HOME to a directory of this user, or name a key.")
        }
        guard unsafe access(keyPath, F_OK) != 0, let number = Self.obstacle(toMaking: keyPath) else { return nil }
        return Failure(StorageFault.system(number)).saying(
            "There is no key file yet, and none can be made in its directory.",
            "Check the owner and the mode of the directory and of those above it, or name a key.")
    }

    /// Why no file can be made at a path, and no directories for it.
    private static func obstacle(toMaking path: String) -> Int32? {
        var directory = parentDirectory(of: path)
        while unsafe access(directory, F_OK) != 0, errno == ENOENT, parentDirectory(of: directory) != directory {
            directory = parentDirectory(of: directory)
        }
        return unsafe access(directory, W_OK | X_OK) == 0 ? nil : errno
    }
}

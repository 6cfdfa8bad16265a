internal import CredentialStorage
internal import CredentialStorageFile

extension Command {
    static let initialize = Command(
        "init",
        summary: "make an empty vault",
        help: """
            Makes an empty vault and, for a key file that does not exist yet, its key. A key file named by --key-file is \
            made by this command only. Exit 10 means that a vault is there already, \
            exit 7 that something else is; nothing was changed then. Where no option names a backend or a key, it \
            chooses as the first set does. A passphrase that is typed is asked for twice.
            """
    ) { invocation in
        try invocation.making { vault in
            do {
                try vault.create()
            } catch let error as StorageError where error.cause == .conflict && vault.hasVault {
                throw Failure(error).saying("There is a vault already.", "Nothing was changed.")
            }
        }
    }
}

internal import CredentialStorage

extension Command {
    static let lock = Command(
        "lock",
        summary: "lock a keyring",
        help: """
            Locks the collection that holds the entries, or the key of the vault that auto has chosen, for all programs. A \
            vault that has no key in the keyring cannot be locked. Locking what is locked already is no error.
            """
    ) { invocation in
        try invocation.lockable().lock()
    }

    static let unlock = Command(
        "unlock",
        summary: "unlock a keyring",
        help: """
            Unlocks the collection that holds the entries, or the key of the vault that auto has chosen or would choose, \
            for all programs. A vault that has no key in the keyring cannot be unlocked. A dialog is shown only with \
            --prompt; without it a collection with a password stays locked, and the exit code is 4. It is 4 too where \
            the collection is open and its provider keeps entries locked.
            """
    ) { invocation in
        try invocation.lockable().unlock()
    }
}

extension Invocation {
    fileprivate func lockable() throws -> any LockableStorage {
        guard let store = try ChosenBackend.keyring(options) as? any LockableStorage else {
            throw StorageError.unsupported
        }
        return store
    }
}

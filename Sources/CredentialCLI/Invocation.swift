internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing

/// A command line that was understood: what a command works on.
package struct Invocation: Sendable {
    let options: Options
    let operands: [String?]
    let output: Output

    /// The first operand as the name of an entry.
    func entryName() throws -> String {
        guard let name = operands[0] else { throw StorageError.invalidEntryKey }
        return try EntryKey(name).name
    }

    /// The store to read: where nothing was ever stored, one that says so.
    func store() throws -> any InspectableStorage {
        guard let chosen = try ChosenBackend.standing(options) else {
            let store = ChosenBackend.automatic(options)
            store.log.debug("there is no vault yet")
            return store
        }
        let store = try chosen.open()
        if let vault = store as? EncryptedFileStorage, !vault.hasVault { vault.log.debug("there is no vault yet") }
        return store
    }

    /// The same for a command that makes a vault where there is none, and chooses where nothing is chosen.
    func writing<R>(_ body: (any InspectableStorage) throws -> R) throws -> R {
        try ChosenBackend.settled(options.makingVault) { try body(try $0.open()) }
    }

    /// The same for a command that only a vault can serve.
    func vault() throws -> EncryptedFileStorage { try vault(options) }

    /// The same for a command that makes the vault, so that the passphrase of an existing one is of no use.
    func newVault() throws -> EncryptedFileStorage { try vault(options.withoutPrompts) }

    /// The same for a command that makes a vault in the place of one whose key may be lost.
    ///
    /// A vault with passphrases gets a passphrase again. The default key file takes the place of another key file only:
    /// of anything else, and of what cannot be told, it could be less than what protected the vault.
    func vaultToReset() throws -> EncryptedFileStorage {
        var options = (try ChosenBackend.standing(options)?.options ?? options).withoutPrompts
        if let named = options.newPassphrase { options.key = named }
        let isQuiet = self.options.prompts == .never
        if let named = try Passphrase.named(by: options.key, asking: isQuiet ? .nobody : .new) {
            return try Backend.fileStore(options, keySource: named.source)
        }
        guard options.key == .standard else { return try vault(options) }
        let standard = try Backend.fileStore(options, keySource: .defaultKeyFile)
        let kinds = Set((try? standard.slotKinds()) ?? [])
        if kinds.contains(KeySlotKind.keyFile.name) { return try vault(options) }
        guard kinds == [KeySlotKind.passphrase.name] else {
            throw Failure.usage(
                """
                The old vault does not tell that it opens with a key file, so name what the new one opens with, as \
                --key-file and --new-passphrase-file do.
                """)
        }
        guard !isQuiet, let terminal = Terminal.controlling else { return try vault(options) }
        return try Backend.fileStore(options, keySource: try Passphrase.newOn(terminal).source)
    }

    /// The same for `init`, which asks for the passphrase of a new vault where an option names a terminal.
    func making<R>(_ body: (EncryptedFileStorage) throws -> R) throws -> R {
        let vault = try newVault()
        guard !vault.hasVault else { return try body(vault) }
        return try ChosenBackend.settled(options.makingVault) { try body(try Self.vault(in: $0)) }
    }

    /// The same, with what stands by now, so that what is said about it fits.
    var standing: Invocation {
        guard let options = (try? ChosenBackend.standing(options))?.options else { return self }
        return Invocation(options: options, operands: operands, output: output)
    }

    /// Whether the keyring is the backend that is used.
    var isOfKeyring: Bool {
        (try? ChosenBackend.named(by: options))?.backend.name == Backend.secretServiceName
    }

    /// Whether the command line leaves the choice open.
    var isAutomatic: Bool {
        do { return try ChosenBackend.named(by: options) == nil } catch { return false }
    }

    private func vault(_ options: Options) throws -> EncryptedFileStorage {
        let chosen = try ChosenBackend.standing(options)
        return try Self.vault(in: chosen ?? ChosenBackend(.file, options, rule: ""))
    }

    private static func vault(in chosen: ChosenBackend) throws -> EncryptedFileStorage {
        guard let vault = try chosen.open() as? EncryptedFileStorage else { throw StorageError.unsupported }
        return vault
    }

    func write(_ json: JSONWriter) throws {
        try output.write(json.bytes.span)
        try output.write("\n")
    }
}

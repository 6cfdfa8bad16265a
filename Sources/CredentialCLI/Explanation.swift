internal import CCredentialShims
internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing
internal import Glibc

extension Failure {
    /// The same in the words of this command line: which option led to it, and whether a vault is there.
    ///
    /// Nothing but the words changes, and no path comes into them.
    func explained(by invocation: Invocation) -> Failure {
        if isExplained { return self }
        let invocation = invocation.standing
        return switch category.flatMap(UnavailableCategory.init) {
        case .locked where cause == "undecryptable": lockedEntry(invocation)
        case .ioError where code?.domain == .dbus: failedProvider
        case .keySourceMissing: missingKey(invocation)
        case .keySourceUnavailable: unusableKey(invocation)
        case .insecurePermissions, .accessDenied: closedKey(invocation)
        case .noStorageLocation where code == .errno(ENAMETOOLONG): longName
        case .groupUnusable where invocation.options.collection != nil: missingCollection
        case .promptNeeded: forbiddenPrompt(invocation)
        case .noSessionBus, .noProvider: saidOfKeyring(invocation.options.key)
        case nil where cause == "wrongKey": wrongKind(invocation)
        case nil where cause == "conflict": occupied(invocation)
        case nil where cause == "parametersOutOfRange": forbiddenWork
        case nil where cause == "ambiguous": twoCollections(invocation)
        case nil where category == UndecryptableReason.damaged.rawValue: damagedItem(invocation)
        case nil where cause == "damaged": damagedNote(invocation)
        default: self
        }
    }

    /// The same where the key of a vault is in the keyring, so that another backend is no help.
    func saidOfKeyring(_ key: Options.Key) -> Failure {
        let categories = [UnavailableCategory.noSessionBus, .noProvider].map(\.rawValue)
        guard key.kind == .entry, let category, categories.contains(category) else { return self }
        return saying(
            "The key of this vault is in the keyring, and no keyring can be reached from here.",
            "Run this where the bus and the keyring are, or name another key of the vault; nothing else was used.")
    }

    private var missingCollection: Failure {
        saying(
            "There is no collection with this label.",
            "Name one that exists; some providers show a locked one under another label; no other place was used.")
    }

    private func forbiddenPrompt(_ invocation: Invocation) -> Failure {
        let isValueAsked = invocation.options.prompts == .never && Terminal.standardInput != nil
        guard invocation.isOfKeyring, !isValueAsked else { return self }
        return saying(
            "The keyring's provider wants to confirm the change, and no dialog is allowed.",
            "Allow it with --prompt; a provider that asks nobody needs no more than that --no-prompt is left out.")
    }

    private func damagedItem(_ invocation: Invocation) -> Failure {
        guard invocation.isOfKeyring else { return self }
        return saying(
            "An entry is damaged and cannot be read.",
            "Set it again; if that changes nothing, look at the provider's own log.")
    }

    private func lockedEntry(_ invocation: Invocation) -> Failure {
        guard invocation.isOfKeyring else { return self }
        return saying(
            "The keyring is open, and its provider keeps an entry locked.",
            "Answer its dialog, which --prompt allows, or tell the provider in its settings not to ask for each entry.")
    }

    private var failedProvider: Failure {
        saying(
            "The Secret Service provider reported a failure of its own, without a reason.",
            "Look at the provider's own log and at the disk that it writes to.")
    }

    private func damagedNote(_ invocation: Invocation) -> Failure {
        let hasVault = (try? invocation.newVault())?.hasVault ?? true
        // Before there is a vault, an automatic choice looks at the keyring only.
        guard invocation.isOfKeyring || (invocation.isAutomatic && !hasVault) else { return self }
        return saidOfProviderNote
    }

    /// The same of damage that a keyring told of, which is in the note of its provider.
    var saidOfProviderNote: Failure {
        guard cause == "damaged" else { return self }
        return saying(
            "The note that says with which provider the entries were made is empty.",
            "Remove secret-service.provider from the service's locks directory once the right provider is running.")
    }

    private func twoCollections(_ invocation: Invocation) -> Failure {
        guard invocation.isOfKeyring,
            (try? invocation.store())?.probe().reason?.cause == .ambiguous
        else { return self }
        return saying("More than one collection has this label.", "Rename or remove the others; none of them was used.")
    }

    private var longName: Failure {
        saying("The name or the path of the vault is too long.", "Name a shorter one; nothing was changed.")
    }

    private var forbiddenWork: Failure {
        saying(
            "The store demands key derivation work outside the accepted limits.",
            "Do not open it unless it is trusted; credstore has no other limits, but a program can set its own.")
    }

    private func missingKey(_ invocation: Invocation) -> Failure {
        if case .passphraseFile(let path) = invocation.options.newPassphrase, unsafe access(path, F_OK) != 0 {
            return sayingNoPassphraseFile
        }
        let vault = try? invocation.newVault()
        switch invocation.options.key {
        case .standard:
            guard let kinds = vault?.kinds, !kinds.isEmpty, !kinds.contains(KeySlotKind.keyFile.name) else {
                return self
            }
            guard kinds == [KeySlotKind.passphrase.name] else { return sayingNoKeyFile }
            return saying(
                "This store opens with a passphrase.", "Give it with --passphrase-file or --passphrase-fd.")
        case .file:
            guard vault?.hasVault == false else { return self }
            return saying(
                "There is no store and no key file yet.", "Run \"credstore init\" with the same options.")
        case .passphraseFile: return sayingNoPassphraseFile
        case .passphraseDescriptor: return self
        case .entry, .systemdCredential, .kernelKeyring: return missingKey(invocation.options, vault)
        }
    }

    /// A key that is in no file of the user's.
    private func missingKey(_ options: Options, _ vault: EncryptedFileStorage?) -> Failure {
        let kind = options.key.kind
        if let kinds = vault?.kinds, !kinds.isEmpty, !kinds.contains(kind.name) {
            return sayingOtherKind("This store does not open with a key of this kind.")
        }
        return switch kind {
        case .systemdCredential:
            saying("There is no such credential.", "Run this where systemd sets CREDENTIALS_DIRECTORY; none was made.")
        case .kernelKeyring:
            saying("The key is no longer in the kernel's memory.", "Open the store with another key; none was made.")
        default: saidOfKeyEntry(options)
        }
    }

    private var sayingNoPassphraseFile: Failure {
        saying("The passphrase file was not found.", "Name the right one; nothing was changed.")
    }

    private var sayingNoKeyFile: Failure { sayingOtherKind("This store does not open with a key file.") }

    private func sayingOtherKind(_ sentence: StaticString) -> Failure {
        saying(sentence, "Name its key; \"credstore key list\" prints the kinds.")
    }

    private func unusableKey(_ invocation: Invocation) -> Failure {
        let options = invocation.options
        let said = saidOfKeyEntry(options)
        if said.isExplained { return said }
        guard let code, options.key.kind != .systemdCredential else { return self }
        let isPassphraseNamed = options.key.isPassphrase || options.newPassphrase != nil
        guard isPassphraseNamed || invocation.takesPassphrase else {
            guard code == .errno(ENOENT) else { return self }
            return saying("The directory of the key file does not exist.", "Make it first; nothing was changed.")
        }
        return switch code {
        case Passphrase.empty:
            saying("The passphrase is empty.", "Give one; a newline at its end does not count.")
        case Passphrase.tooLong:
            saying("The passphrase is too long.", "Give one of at most \(Passphrase.limit) bytes.")
        case .errno(EBADF):
            saying("The descriptor of the passphrase is not open.", "Open it for the command, as 3<FILE does.")
        case .none: self
        default: saying("The passphrase cannot be read.", "Check the file or the descriptor that was named.")
        }
    }

    private func closedKey(_ invocation: Invocation) -> Failure {
        let options = invocation.options
        for case .passphraseFile(let path)? in [options.key, options.newPassphrase] {
            let failure = closedPassphraseFile(path)
            if failure.isExplained { return failure }
        }
        let isInKernel = options.key == .kernelKeyring || invocation.operands.contains(KeySlotKind.kernelKeyring.name)
        guard isInKernel else { return self }
        return (try? invocation.newVault()).map(namingKernelKey) ?? self
    }

    /// The same of a denial that is the kernel's, about a key in its memory, and none of the vault's place.
    func namingKernelKey(of vault: EncryptedFileStorage) -> Failure {
        guard category == UnavailableCategory.accessDenied.rawValue, code == .errno(EACCES), !vault.kinds.isEmpty,
            vault.isPlaceWritable
        else { return self }
        return saying(
            "The kernel denies access to the key in its memory.",
            "Use it in the session and as the user that made it, or open the store with another key.")
    }

    private func closedPassphraseFile(_ path: String) -> Failure {
        var status = ccs_status()
        guard unsafe ccs_status_at(path, 1, &status) == 0, status.mode & S_IFMT == S_IFREG else { return self }
        if status.mode & 0o077 != 0 {
            return saying("Others can read the passphrase file.", "Take that away with chmod 600; it was not read.")
        }
        guard unsafe access(path, R_OK) != 0 else { return self }
        return saying("The passphrase file cannot be read by this user.", "Check its owner and its mode.")
    }

    private func occupied(_ invocation: Invocation) -> Failure {
        (try? invocation.newVault()).map(namingObstacle) ?? self
    }

    /// The same of a conflict that is about a file at one of the names that a vault needs beside its own.
    func namingObstacle(of vault: EncryptedFileStorage) -> Failure {
        guard cause == "conflict" else { return self }
        if vault.isCompanionNameTaken {
            return saying(
                "Something that is not the vault's stands under its name with .lock appended, which the vault needs.",
                "Move that away, and not the vault, and try again; the file is made anew, and nothing was changed.")
        }
        guard vault.isUnfinishedNameTaken else { return self }
        return saying(
            "Something stands where the vault is written before it takes its place, under its name with .new appended.",
            "Move it away and try again; nothing was changed.")
    }

    private func wrongKind(_ invocation: Invocation) -> Failure {
        let given = invocation.options.key.kind
        guard let kinds = (try? invocation.newVault())?.kinds, !kinds.isEmpty, !kinds.contains(given.name) else {
            return self
        }
        switch given {
        case .passphrase:
            guard kinds.contains(KeySlotKind.keyFile.name) else {
                return sayingOtherKind("This store does not open with a passphrase.")
            }
            return saying("This store does not open with a passphrase.", "Name its key file, or leave the option out.")
        case .keyFile where kinds == [KeySlotKind.passphrase.name]:
            return saying("This store does not open with a key file.", "Give --passphrase-file or --passphrase-fd.")
        case .keyFile: return sayingNoKeyFile
        default: return sayingOtherKind("This store does not open with a key of this kind.")
        }
    }
}

extension Options.Key {
    fileprivate var kind: KeySlotKind {
        switch self {
        case .standard, .file: .keyFile
        case .passphraseFile, .passphraseDescriptor: .passphrase
        case .entry: .entry
        case .systemdCredential: .systemdCredential
        case .kernelKeyring: .kernelKeyring
        }
    }

    fileprivate var isPassphrase: Bool { kind == .passphrase }
}

extension Invocation {
    /// Whether the words of the command name a passphrase.
    fileprivate var takesPassphrase: Bool { operands.contains(KeySlotKind.passphrase.name) }
}

extension EncryptedFileStorage {
    /// Whether the vault's file and directory are no obstacle to a write.
    fileprivate var isPlaceWritable: Bool {
        guard let path = vaultPath else { return false }
        return unsafe access(path, R_OK | W_OK) == 0 && access(parentDirectory(of: path), W_OK | X_OK) == 0
    }

    /// The kinds of keys that open the vault; none where there is no vault.
    fileprivate var kinds: Set<String> { Set((try? slotKinds()) ?? []) }
}

internal import CCredentialShims
internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing
internal import Glibc

extension Backend {
    /// The encrypted file.
    static let file = Backend(name: fileName, open: { try openVault($0) }, diagnose: { diagnoseVault($0) })

    static let fileName = "file"

    private static func openVault(_ options: Options) throws -> EncryptedFileStorage {
        let builder = try builder(options)
        if let source = try keySource(options, builder) { return builder.keySource(source).build() }
        let store = builder.keySource(.defaultKeyFile).build()
        guard wantsPassphrase(store) else { return store }
        guard options.prompts != .never, let terminal = Terminal.controlling else {
            return builder.keySource(nobodyToAsk).build()
        }
        return builder.keySource(try Passphrase.askedOn(terminal).source).build()
    }

    /// The store under a key source that no option names.
    static func fileStore(_ options: Options, keySource: KeySource) throws -> EncryptedFileStorage {
        try builder(options).keySource(keySource).build()
    }

    /// The passphrase of a vault when nobody can be asked for it.
    private static var nobodyToAsk: KeySource {
        KeySource.passphrase { () throws -> SecureBuffer in throw StorageFault.unavailable(.keySourceMissing) }
    }

    private static func builder(_ options: Options) throws -> StorageBuilder.EncryptedFile {
        for name in [options.service, options.group].compacted() { _ = try ServiceName(checking: name) }
        let builder = StorageBuilder.EncryptedFile(service: options.service).accessGroup(options.group)
            .lookingAhead(false)
        return options.path.map { builder.path($0) } ?? builder
    }

    /// The source that an option names, or `nil` where none does.
    private static func keySource(_ options: Options, _ builder: StorageBuilder.EncryptedFile) throws -> KeySource? {
        switch options.key {
        case .standard: nil
        case .file(let path): .keyFile(path)
        case .entry(let backend): try keyEntry(from: backend, options)
        case .systemdCredential(let name): .systemdCredential(name)
        case .kernelKeyring: .kernelKeyring()
        case .passphraseFile, .passphraseDescriptor:
            try Passphrase.named(by: options.key, asking: asking(options, builder))?.source
        }
    }

    /// Nobody is asked for a passphrase that nothing will want.
    private static func asking(_ options: Options, _ builder: StorageBuilder.EncryptedFile) -> Passphrase.Asking {
        if options.prompts == .never { return .nobody }
        if builder.keySource(nobodyToAsk).build().hasVault { return .present }
        return options.makesVault ? .new : .nobody
    }

    /// Whether a passphrase opens the vault, and the default key file cannot.
    ///
    /// One whose header cannot be read answers for itself later.
    private static func wantsPassphrase(_ store: EncryptedFileStorage) -> Bool {
        let isPassphrase = ((try? store.slotKinds()) ?? []).map { $0 == KeySlotKind.passphrase.name }
        guard isPassphrase.contains(true) else { return false }
        if !isPassphrase.contains(false) { return true }
        do {
            _ = try store.protection
            return false
        } catch {
            return error.category == .keySourceMissing
        }
    }

    private static func diagnoseVault(_ options: Options) -> Diagnosis {
        do {
            let store = try openVault(options)
            var diagnosis = Diagnosis(vault: place(of: store), key: KeyPlace(options, of: store))
            let probe = store.probe()
            diagnosis.isReadable = probe.isReadable
            if let reason = probe.reason, !probe.isReadable || !probe.isWritable {
                diagnosis.failure = Failure(reason).namingObstacle(of: store).saidOfKeyring(options.key)
            }
            do {
                // The probe leaves the key alone; this is the first use of it.
                if probe.isReadable { diagnosis.protection = try store.protection }
            } catch {
                let failure = Failure(error)
                diagnosis.failure =
                    options.key == .kernelKeyring
                    ? failure.namingKernelKey(of: store) : failure.saidOfKeyEntry(options)
                diagnosis.isReadable = false
            }
            if diagnosis.failure == nil, let failure = store.obstacleToFirstWrite(under: options.key) {
                diagnosis.failure = failure
                diagnosis.isReadable = false
            }
            if diagnosis.failure?.category == UnavailableCategory.insecurePermissions.rawValue {
                diagnosis.openPlaces = OpenPlace.all(of: store.ownPaths, key: diagnosis.key?.path)
            }
            return diagnosis
        } catch {
            return Diagnosis(failure: Failure(error))
        }
    }

    private static func place(of store: EncryptedFileStorage) -> Diagnosis.Vault {
        Diagnosis.Vault(
            path: store.vaultPath,
            exists: store.hasVault,
            slots: (try? store.slotKinds()) ?? [],
            modes: FileMode.all(of: store.ownPaths, key: store.keyPath),
            fileSystem: store.vaultPath.flatMap { FileSystemKind.holding(directory: parentDirectory(of: $0)) })
    }
}

extension EncryptedFileStorage {
    /// Whether anything stands at the vault's place.
    var hasVault: Bool {
        guard let path = vaultPath else { return false }
        return Self.isTaken(path)
    }

    private static func isTaken(_ path: String) -> Bool {
        var status = ccs_status()
        return unsafe ccs_status_at(path, 0, &status) == 0 || errno != ENOENT
    }
}

extension Array {
    fileprivate func compacted<Wrapped>() -> [Wrapped] where Element == Wrapped? { compactMap { $0 } }
}

internal import CredentialStorage
internal import CredentialStorageSealing

/// Looks at a vault from outside: without a key, without a lock, without a write.
struct VaultProbe {
    let engine: VaultEngine

    func run() throws(StorageFault) -> StorageProbe {
        try engine.checkUsable()
        let isClosed = engine.state.read { $0.isClosed }
        guard !isClosed else { throw .unavailable(.closed) }
        let location = try engine.location()
        guard let vault = try VaultOpening(engine: engine, known: nil).openVaultFile(location) else {
            return .usable
        }
        defer { engine.fileSystem.close(vault.file) }
        _ = try header(of: vault.file)
        guard vault.status.mode & 0o077 == 0 else { throw .unavailable(.insecurePermissions) }
        if vault.isWritable { return .usable }
        return StorageProbe(
            isReachable: true, isLocked: false, isReadable: true, isWritable: false,
            reason: StorageFault.unavailable(.readOnly).during(.write))
    }

    /// The newest sound header, not yet proven by any key; `nil` when there is no vault.
    func header() throws(StorageFault) -> VaultHeader? {
        let location = try engine.location()
        guard let vault = try VaultOpening(engine: engine, known: nil).openVaultFile(location) else { return nil }
        defer { engine.fileSystem.close(vault.file) }
        return try header(of: vault.file)
    }

    private func header(of file: FileHandle) throws(StorageFault) -> VaultHeader {
        let copies = try VaultUnlocking.readCopies(file, engine.fileSystem)
        return try VaultUnlocking.candidates(copies)[0].header
    }
}

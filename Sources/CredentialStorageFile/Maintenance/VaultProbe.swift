internal import CredentialStorage
internal import CredentialStorageSealing

/// Looks at a vault from outside: without a key, without a lock, without a write.
struct VaultProbe {
    let engine: VaultEngine

    private var options: VaultEngine.Options { engine.options }

    func run() throws(StorageFault) -> StorageProbe {
        try engine.checkUsable()
        guard !engine.isClosed else { throw .unavailable(.closed) }
        let location = try engine.location()
        guard let vault = try VaultOpening(engine: engine, known: nil).openVaultFile(location) else {
            return withoutKey(isReadable: true) ?? withoutPlace(location) ?? .usable
        }
        defer { engine.fileSystem.close(vault.file) }
        _ = try header(of: vault.file)
        guard vault.status.mode & 0o077 == 0 else { throw .unavailable(.insecurePermissions) }
        try engine.checkCompanion(location)
        if let probe = withoutKey(isReadable: false) { return probe }
        if vault.isWritable { return .usable }
        return StorageProbe(
            isReachable: true, isLocked: false, isReadable: true, isWritable: false,
            reason: StorageFault.unavailable(.readOnly).during(.write))
    }

    /// What the store is without its key, where a look tells that the key cannot be had now.
    ///
    /// A vault that is open already has it.
    private func withoutKey(isReadable: Bool) -> StorageProbe? {
        guard engine.state.read({ $0.session == nil }), let obstacle = options.keySource.provider.obstacle() else {
            return nil
        }
        let reason = obstacle.during(isReadable ? .write : .read)
        return StorageProbe(
            isReachable: true, isLocked: reason.category == .locked ? true : nil, isReadable: isReadable,
            isWritable: false, reason: reason)
    }

    /// What the store is where no vault is and none can be made, because of what stands at the names that one needs.
    private func withoutPlace(_ location: VaultLocation) -> StorageProbe? {
        do throws(StorageFault) {
            try location.checkNames()
            try engine.checkCompanion(location)
            try UnfinishedVault.check(location, engine.fileSystem)
            return nil
        } catch {
            return StorageProbe(
                isReachable: true, isLocked: nil, isReadable: true, isWritable: false, reason: error.during(.write))
        }
    }

    /// The newest sound header, not yet proven by any key; `nil` when there is no vault.
    func header() throws(StorageFault) -> VaultHeader? {
        let location = try engine.location()
        guard let vault = try VaultOpening(engine: engine, known: nil).openVaultFile(location) else { return nil }
        defer { engine.fileSystem.close(vault.file) }
        return try header(of: vault.file)
    }

    /// The same of a file that nobody else can read, as for everything that is told of a vault's contents.
    func privateHeader() throws(StorageFault) -> VaultHeader? {
        let location = try engine.location()
        guard let vault = try VaultOpening(engine: engine, known: nil).openVaultFile(location) else { return nil }
        defer { engine.fileSystem.close(vault.file) }
        guard vault.status.mode & 0o077 == 0 else { throw .unavailable(.insecurePermissions) }
        return try header(of: vault.file)
    }

    /// Whether what stands at the path may be a vault: also one that is damaged, newer or out of reach.
    func isVault() -> Bool {
        do throws(StorageFault) {
            _ = try header()
            return true
        } catch {
            return error != .notAStore
        }
    }

    /// What a present vault reaches, or what a new one would.
    func protection() throws(StorageFault) -> Protection {
        try engine.checkUsable()
        guard !engine.isClosed else { throw .unavailable(.closed) }
        var kind = options.keySource.provider.kind
        var isBound = options.accessibility != nil || options.keySource.isMachineBound
        var isVolatile = options.keySource.provider.isVolatile
        if let (slot, slots, isOnVolatileDisk) = try usedSlot() {
            kind = KeySlotKind.named(by: slot.kind) ?? kind
            // One key that opens a copy elsewhere is enough, and so is one that lasts when this one is gone.
            isBound = slots.allSatisfy(\.isMachineBound)
            let isRescued = slots.contains { $0.id != slot.id && KeySlotKind.named(by: $0.kind)?.isVolatile == false }
            isVolatile = isOnVolatileDisk || isVolatile && !isRescued
        }
        return Protection(
            source: kind.source,
            device: isBound ? .machineID : .none,
            memory: engine.arena.lockState,
            durability: isVolatile ? .volatile : .durable,
            accessibility: options.accessibility ?? .afterFirstUnlockThisDeviceOnly)
    }

    /// The slot that opens the vault, all of its slots, and whether the file ends with the next boot.
    private func usedSlot() throws(StorageFault) -> (SlotRecord, all: [SlotRecord], isOnVolatileDisk: Bool)? {
        let (open, known) = engine.state.read { state in
            let open = state.session.map { session in
                (session.slot, session.header.slots, FileSystemKind.isVolatile(session.file, session.fileSystem))
            }
            return (open, state.masterKey)
        }
        if let open { return open }
        let location = try engine.location()
        guard let vault = try VaultOpening(engine: engine, known: known).openVaultFile(location) else { return nil }
        defer { engine.fileSystem.close(vault.file) }
        let unlocking = VaultUnlocking(
            options: options, request: try engine.keyRequest(location), arena: engine.arena)
        let unlocked = try unlocking.unlock(vault.file, known: known)
        return (unlocked.slot, unlocked.header.slots, FileSystemKind.isVolatile(vault.file, engine.fileSystem))
    }

    private func header(of file: FileHandle) throws(StorageFault) -> VaultHeader {
        let copies = try VaultUnlocking.readCopies(file, engine.fileSystem)
        return try VaultUnlocking.candidates(copies)[0].header
    }
}

public import CredentialStorage
package import CredentialStorageSealing

extension EncryptedFileStorage {
    private var options: VaultEngine.Options { engine.options }

    /// The protection that was really reached.
    ///
    /// An existing vault is unlocked to tell, and nothing is written; without one, the answer is what the first write
    /// would make.
    public var protection: Protection {
        get throws(StorageError) {
            try performing(.read) { () throws(StorageFault) in try VaultProbe(engine: engine).protection() }
        }
    }

    /// Looks at the place, the file, its header and its companion; asks nobody for the key and writes nothing.
    ///
    /// Where the key is an entry of another store, that one is probed too.
    public func probe() -> StorageProbe {
        do throws(StorageError) {
            return try performing(.read) { () throws(StorageFault) in try VaultProbe(engine: engine).run() }
        } catch {
            let isLocked = error.category == .sessionLocked ? true : nil
            return StorageProbe(
                isReachable: isLocked == true, isLocked: isLocked, isReadable: false, isWritable: false, reason: error)
        }
    }

    /// Returns when the session is unlocked, for a store that is closed while it is locked, and when the store that holds
    /// the key is; at once for all others.
    public func waitUntilAvailable() async throws(StorageError) {
        while true {
            let reason: StorageError?
            do {
                reason = try await offload(.read) { self.probe().reason }
            } catch {
                throw StorageError.adopting(error, during: .read)
            }
            guard let reason else { return }
            guard [.locked, .sessionLocked].contains(reason.category) else { throw reason }
            // A session state has no event to wait for, so it is asked from time to time.
            do { try await Task.sleep(for: .milliseconds(100)) } catch {
                throw StorageFault.unavailable(.cancelled).during(.read)
            }
        }
    }

    /// Makes the vault, and its key where the key source may make one.
    ///
    /// - Throws: ``StorageError/conflict`` inside a write error when a vault is there already, whole or not;
    ///   ``StorageError/notAStore`` when something else is.
    public func create() throws(StorageError) {
        try performing(.write) { () throws(StorageFault) in
            try engine.checkUsable()
            try engine.queue.alone { () throws(StorageFault) in
                guard !engine.isClosed else { throw .unavailable(.closed) }
                let location = try engine.location()
                let isThere = (try? options.fileSystem.status(at: location.vault, followingLink: false)) != nil
                guard !isThere else { throw VaultProbe(engine: engine).isVault() ? .conflict : .notAStore }
                _ = try engine.install(try VaultCreation(engine: engine, purpose: .create).create())
            }
        }
    }

    /// Looks at every byte of the vault and opens every box, without changing anything.
    ///
    /// - Returns: What was found, or `nil` when there is no vault.
    /// - Throws: ``StorageError/readError(cause:)`` when the vault cannot be opened at all.
    public func verify() throws(StorageError) -> VaultReport? {
        try performing(.read) { () throws(StorageFault) in try VaultVerifier(engine: engine).run() }
    }

    /// Where the vault is or would be; `nil` when there is no usable place.
    package var vaultPath: String? { try? engine.location().vault }

    /// Whether something stands where a vault is written before it takes its place, and is in the way there.
    package var isUnfinishedNameTaken: Bool {
        isConflict { (location) throws(StorageFault) in try UnfinishedVault.check(location, options.fileSystem) }
    }

    /// Whether something that is no companion stands where the vault's belongs.
    package var isCompanionNameTaken: Bool {
        isConflict { (location) throws(StorageFault) in try engine.checkCompanion(location) }
    }

    private func isConflict(_ check: (VaultLocation) throws(StorageFault) -> Void) -> Bool {
        do throws(StorageFault) {
            try check(try engine.location())
            return false
        } catch {
            return error == .conflict
        }
    }

    /// Whether the vault was opened by the store's own key source.
    package var isOpen: Bool { engine.state.read { $0.session != nil } }

    /// The store's own key source.
    package var keySource: KeySource { options.keySource }

    /// The kind of the store's own key source.
    package var keyKind: String { options.keySource.provider.kind.name }

    /// The vault and its companion, there or not; empty when there is no usable place.
    package var ownPaths: [String] { (try? engine.location()).map { [$0.vault, $0.companion] } ?? [] }

    /// Where the key source looks for the key; `nil` when that is no file, or there is no usable place.
    package var keyPath: String? {
        guard let location = try? engine.location(), let request = try? engine.keyRequest(location) else { return nil }
        return options.keySource.provider.place(request)
    }

    /// The kinds of the vault's key slots, read without any key; empty when there is no vault.
    package func slotKinds() throws(StorageError) -> [String] {
        try performing(.read) { () throws(StorageFault) in
            guard let header = try VaultProbe(engine: engine).header() else { return [] }
            return header.slots.map { KeySlotKind.named(by: $0.kind)?.name ?? "unknown" }
        }
    }
}

public import CredentialStorage

/// What an automatic store uses, and why.
public struct AutomaticSelection: Sendable, Equatable {
    /// The kind of store.
    public let choice: AutomaticChoice
    /// Why that one.
    public let rule: ChoiceRule
    /// Whether it stands for good; else it is what a first write would choose now.
    public let isSettled: Bool

    /// Makes a description.
    ///
    /// - Parameters:
    ///   - choice: The kind of store.
    ///   - rule: Why that one.
    ///   - isSettled: Whether it stands for good.
    public init(choice: AutomaticChoice, rule: ChoiceRule, isSettled: Bool) {
        self.choice = choice
        self.rule = rule
        self.isSettled = isSettled
    }
}

extension AutomaticStorage {
    /// What is used, or what the first write would choose now.
    ///
    /// Nothing is written, and no dialog is shown. Where nothing was chosen yet the keyring is looked at, for at most 2 s.
    public var selection: AutomaticSelection {
        get throws(StorageError) {
            try performing(.read) { () throws(StorageFault) in
                try chosenOrCandidate().0.selection
            }
        }
    }

    /// The same, without asking the keyring more than is said.
    ///
    /// - Parameter look: How the state of the keyring is learnt.
    /// - Returns: What is used; `nil` where nothing was ever stored and the keyring is not to be looked at.
    /// - Throws: Why there is no choice.
    package func outlook(_ look: KeyringLook) throws(StorageError) -> AutomaticSelection? {
        try performing(.read) { () throws(StorageFault) in try chooser.look(look)?.selection }
    }

    /// Chooses as a first write does, and notes it.
    ///
    /// - Returns: What is used from now on, to make the write with.
    /// - Throws: Why there is no choice.
    package func beginWrite() throws(StorageError) -> FirstWrite {
        try performing(.write) { () throws(StorageFault) in try chooser.settle() }
    }

    /// What is noted beside the data; `nil` where nothing is.
    package var notedChoice: AutomaticChoice? {
        get throws(StorageError) {
            try performing(.read) { () throws(StorageFault) in
                switch try chooser.record().read() {
                case .none: nil
                case .choice(let choice): choice
                case .unsupportedVersion(let version): throw .cause(.unsupportedVersion(version))
                case .damaged: throw .damaged
                }
            }
        }
    }

    /// The kind of the chosen store, or of the one that a first write would choose now.
    public var selectedBackend: StorageBackend {
        get throws(StorageError) { try selection.choice.backend }
    }

    /// The kind of the chosen store; `automatic` as long as nothing is chosen.
    public var backend: StorageBackend {
        let settled = try? settled()
        return settled?.0.choice.backend ?? StorageBackend(name: "automatic")
    }

    /// The protection that was really reached, or the one that the first write would reach now.
    public var protection: Protection {
        get throws(StorageError) {
            let base = try performing(.read) { () throws(StorageFault) in try chosenOrCandidate().1 }
            do {
                return try base.protection
            } catch {
                throw StorageError.carrying(error, during: .read)
            }
        }
    }

    /// Looks without a dialog, without a write, and without starting a provider.
    public func probe() -> StorageProbe {
        do throws(StorageError) {
            let (chosen, base) = try performing(.read) { () throws(StorageFault) in try chosenOrCandidate() }
            let keyring = try performing(.read) { () throws(StorageFault) in
                try chooser.keyringStore(of: chosen.choice)
            }
            // A vault under a key in the keyring is as usable as both are.
            if chosen.choice == .keyringVault, let probe = keyring?.probe(), probe.reason != nil { return probe }
            return base.probe()
        } catch {
            return StorageProbe(isReachable: false, isLocked: nil, isReadable: false, isWritable: false, reason: error)
        }
    }

    /// Returns when the keyring and the session are unlocked, as far as the chosen store needs them.
    public func waitUntilAvailable() async throws(StorageError) {
        let (chosen, base) = try performing(.read) { () throws(StorageFault) in try chosenOrCandidate() }
        let keyring = try performing(.read) { () throws(StorageFault) in try chooser.keyringStore(of: chosen.choice) }
        do {
            if chosen.choice == .keyringVault { try await keyring?.waitUntilAvailable() }
            try await base.waitUntilAvailable()
        } catch {
            throw StorageError.carrying(error, during: .read)
        }
    }

    private func chosenOrCandidate() throws(StorageFault) -> (Chosen, any AtomicStorage & InspectableStorage) {
        if let settled = try settled() { return settled }
        guard let chosen = try chooser.look() else { throw .unavailable(.noProvider) }
        return (chosen, try store(of: chosen))
    }
}

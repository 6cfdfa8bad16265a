internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing

/// What is used, and why.
struct Chosen: Sendable {
    let choice: AutomaticChoice
    let rule: ChoiceRule
    /// Whether it is so for good, and not only what the first write would take.
    var isSettled: Bool
    /// Whether more than a note speaks for it, which a failing first write could take back.
    var isFirm = false

    var selection: AutomaticSelection { AutomaticSelection(choice: choice, rule: rule, isSettled: isSettled) }
}

/// Runs the rules over what is on the disk and on the bus.
struct Chooser: Sendable {
    /// How often another first start may be faster before something else must be wrong.
    private static let attempts = 4

    let options: AutomaticOptions
    /// The note that was made here.
    private let made = Locked<MadeNote?>(nil)

    init(options: AutomaticOptions) { self.options = options }

    var rules: ChoiceRules { ChoiceRules(policy: options.policy) }
    private var keyring: Keyring { Keyring(options) }

    /// Looks, and changes nothing.
    ///
    /// - Parameter look: How the state of the keyring is learnt where the choice depends on it.
    /// - Returns: The choice; `nil` where nothing was ever stored and the keyring would have to be looked at.
    /// - Throws: Why there is no choice.
    func look(_ look: KeyringLook = .ask) throws(StorageFault) -> Chosen? {
        let facts = try facts()
        var step = rules.step(facts)
        if step == .look {
            switch look {
            case .none: return nil
            case .ask: step = rules.step(facts, keyring: keyring.look())
            case .known(let probe): step = rules.step(facts, keyring: KeyringState(probe))
            }
        }
        switch step {
        case .take(let choice, let rule):
            let isFirm = facts.vault != .absent || choice.backend != .file
            return Chosen(choice: choice, rule: rule, isSettled: true, isFirm: isFirm)
        case .begin(let choice, let rule): return Chosen(choice: choice, rule: rule, isSettled: false)
        case .refuse(let fault): throw fault
        case .look: return nil
        }
    }

    /// Chooses for a write, and notes it.
    func settle() throws(StorageFault) -> FirstWrite {
        for _ in 0..<Self.attempts {
            guard var chosen = try look() else { continue }
            if chosen.choice == .memory { chosen.isFirm = true }
            if chosen.isFirm { return FirstWrite(chosen: chosen, note: nil) }
            if !chosen.isSettled {
                // What cannot be reached or opened now is not what everything is stored in from now on.
                if chosen.choice.needsKeyring { try keyring.prove(chosen.choice) }
                guard try record().note(chosen.choice, made: made) == .choice(chosen.choice) else { continue }
                chosen.isSettled = true
            }
            // Entries may stand in the keyring by now, and nothing but the note would tell.
            chosen.isFirm = chosen.choice.backend != .file
            if chosen.isFirm { return FirstWrite(chosen: chosen, note: nil) }
            guard let note = try record().hold(chosen.choice, made: made) else { continue }
            return FirstWrite(chosen: chosen, note: note)
        }
        throw .conflict
    }

    /// Makes the store of a choice.
    func store(_ choice: AutomaticChoice) throws(StorageFault) -> any AtomicStorage & InspectableStorage {
        switch choice {
        case .keyringVault: vault(.entry(KeySource.entryName, in: try keyring.store(of: choice))).build()
        case .file: vault(.defaultKeyFile).build()
        case .secretService: try keyring.store(of: choice)
        case .memory: StorageBuilder.InMemory().log(options.log).build()
        }
    }

    /// The keyring of a choice that needs one.
    func keyringStore(of choice: AutomaticChoice) throws(StorageFault) -> (any InspectableStorage)? {
        choice.needsKeyring ? try keyring.store(of: choice) : nil
    }

    /// Where the choice is noted.
    func record() throws(StorageFault) -> ChoiceRecord {
        guard let path = vault(.defaultKeyFile).build().vaultPath else { throw try missingPlace() }
        return ChoiceRecord(besideVault: path, options.fileSystem)
    }

    private func vault(_ source: KeySource) -> StorageBuilder.EncryptedFile {
        var builder = StorageBuilder.EncryptedFile(service: options.service).accessGroup(options.group)
            .keySource(source).log(options.log).deadline(options.deadline)
            .environment(options.environment).fileSystem(options.fileSystem).lookingAhead(false)
        if let level = options.accessibility { builder = builder.accessibility(level) }
        if let state = options.sessionState { builder = builder.sessionState(state) }
        return builder
    }

    private func facts() throws(StorageFault) -> ChoiceFacts {
        let record = try record()
        let kinds: [String]
        let store = vault(.defaultKeyFile).build()
        do throws(StorageError) {
            kinds = try store.slotKinds()
        } catch {
            return ChoiceFacts(record: (try? record.read()) ?? .none, vault: .unreadable)
        }
        guard !kinds.isEmpty else { return ChoiceFacts(record: try record.read(), vault: .absent) }
        let underKeyring = kinds.map { $0 == KeySlotKind.entry.name }
        let vault = ChoiceFacts.Vault.present(
            isUnderKeyring: underKeyring.contains(true), isUnderOther: underKeyring.contains(false),
            hasKeyFile: kinds.contains(KeySlotKind.keyFile.name) && isThere(store.keyPath))
        // A vault says enough for itself where the record does not.
        return ChoiceFacts(record: (try? record.read()) ?? .none, vault: vault)
    }

    private func isThere(_ path: String?) -> Bool {
        path.map { (try? options.fileSystem.status(at: $0, followingLink: true)) != nil } ?? false
    }

    private func missingPlace() throws(StorageFault) -> StorageFault {
        do throws(StorageError) {
            _ = try vault(.defaultKeyFile).build().slotKinds()
        } catch {
            return .adopting(error)
        }
        return .unavailable(.noStorageLocation)
    }
}

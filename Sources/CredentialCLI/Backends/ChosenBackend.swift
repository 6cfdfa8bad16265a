internal import CredentialStorage
internal import CredentialStorageAutomatic

/// The backend that a command line comes to, and why.
struct ChosenBackend: Sendable {
    let backend: Backend
    /// What the command line says, with the backend and the key that belong to the choice.
    let options: Options
    /// Why this one, for a person.
    let rule: String
    /// What the automatic choice says; `nil` where the command line names the backend.
    var selection: AutomaticSelection?

    /// What `auto` may take: a vault under a key in the keyring, without any keyring one under a key file, and the keyring
    /// itself where a program has chosen that for its service.
    static let policy = AutomaticPolicy([.keyringVault, .file, .secretService])

    /// The automatic choice for the service or group of a command line; only a write shows a dialog, where that is allowed.
    static func automatic(_ options: Options) -> AutomaticStorage {
        StorageBuilder.automatic(service: options.service, policy: policy).accessGroup(options.group)
            .prompts(allowed: options.prompts == .allowed ? Backend.patience : nil).lookingAhead(false).build()
    }

    /// The backend that the command line names, by `--backend` or by an option that only one backend takes.
    ///
    /// - Parameter options: What the command line says.
    /// - Returns: That backend, or `nil` where the choice is automatic.
    /// - Throws: A usage failure where more than one is named.
    static func named(by options: Options) throws(Failure) -> ChosenBackend? {
        let isAutomatic = options.backend == Backend.automaticName
        let names = options.requiredBackends + (isAutomatic ? [] : [options.backend])
        guard let backend = Backend.all.first(where: { $0.name == names.last }) else { return nil }
        guard names.allSatisfy({ $0 == backend.name }) else {
            guard isAutomatic else { throw .usage("An option was given that this backend does not take.") }
            throw .usage("Options of different backends were given.")
        }
        return ChosenBackend(backend, options, rule: isAutomatic ? "an option names it" : "it was named by --backend")
    }

    init(_ backend: Backend, _ options: Options, rule: String) {
        self.backend = backend
        var options = options
        options.backend = backend.name
        self.options = options
        self.rule = rule
    }

    init(_ selection: AutomaticSelection, _ options: Options) {
        var options = options
        if selection.choice == .keyringVault { options.key = .entry(Backend.secretServiceName) }
        let backend = selection.choice == .secretService ? Backend.secretService : .file
        self.init(backend, options, rule: selection.rule.sentence)
        self.selection = selection
    }

    /// What stands, without a look at the keyring; `nil` where nothing was ever stored.
    static func standing(_ options: Options) throws -> ChosenBackend? {
        if let named = try named(by: options) { return named }
        return try choosing(options) { try automatic(options).outlook(.none) }.map { ChosenBackend($0, options) }
    }

    /// What stands, or what the first write would choose now.
    static func outlook(_ options: Options, _ look: KeyringLook) throws -> AutomaticSelection? {
        try choosing(options) { try automatic(options).outlook(look) }
    }

    /// Stores something in what is used from then on; where that fails, nothing of the choice is left.
    static func settled<R>(_ options: Options, _ body: (ChosenBackend) throws -> R) throws -> R {
        if let named = try named(by: options) { return try body(named) }
        let write = try choosing(options) { try automatic(options).beginWrite() }
        return try write.run { try body(ChosenBackend(write.selection, options)) }
    }

    /// Says of damage that it is in the note, where it is: a vault and a keyring say for themselves what is wrong.
    private static func choosing<R>(_ options: Options, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as StorageError {
            if error.category == .boundToAnotherProvider, try automatic(options).notedChoice == .memory {
                throw Failure(error).saying(
                    "The note of what the first write chose, credentials.choice, names the memory of a program.",
                    "Remove it, or name the backend; nothing was chosen in its place.")
            }
            guard let fault = noteFault(options), fault.cause == error.cause else { throw error }
            switch error.cause {
            case .damaged:
                throw Failure(error).saying(
                    "The note of what the first write chose, credentials.choice, cannot be understood.",
                    "Put it back or remove it, or name the backend; nothing was chosen in its place.")
            case .unsupportedVersion:
                throw Failure(error).saying(
                    "The note of what the first write chose, credentials.choice, is from a newer version of this software.",
                    "Update this software, or name the backend; nothing was chosen in its place.")
            default: throw error
            }
        }
    }

    private static func noteFault(_ options: Options) -> StorageError? {
        do throws(StorageError) {
            _ = try automatic(options).notedChoice
            return nil
        } catch {
            return error
        }
    }

    func open() throws -> any InspectableStorage {
        guard let open = backend.open else { throw Failure.backendNotInThisBuild }
        return try open(options)
    }

    /// The keyring that holds the entries, or the key of the vault that does or would; `nil` where none is chosen.
    static func keyring(_ options: Options) throws -> (any InspectableStorage)? {
        if let named = try named(by: options) { return try named.open() }
        guard let selection = try outlook(options, .ask) else { return nil }
        switch selection.choice {
        case .keyringVault: return try Backend.secretService.openForKey?(options)
        case .secretService: return try Backend.secretService.open?(options)
        case .file, .memory: return nil
        }
    }
}

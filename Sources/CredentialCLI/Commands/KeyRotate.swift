internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing

/// `key rotate` with its words: more keys, and slots that go.
struct KeyRotationCommand {
    private let invocation: Invocation
    private var sources: [KeySource] = []
    private var passphrases = 0
    private var removed: Set<Int> = []

    /// What names the key of a slot that stays.
    static let words = """
        key-file FILE | passphrase-file FILE | entry BACKEND | systemd-credential NAME | kernel-keyring
        """

    init(_ invocation: Invocation, _ words: KeyAction.Words) throws {
        self.invocation = invocation
        var rest = words
        while let word = rest.popFirst() {
            if word == "kernel-keyring" {
                sources.append(.kernelKeyring())
                continue
            }
            guard let operand = rest.popFirst() else { throw KeyAction.tooMany }
            if word == "remove" {
                removed.insert(try KeyAction.number(operand))
                continue
            }
            guard let operand, !operand.isEmpty else {
                throw Failure.usage("A word of the action is empty or not UTF-8.")
            }
            switch word {
            case "key-file": sources.append(.keyFile(operand))
            case "passphrase-file":
                sources.append(Passphrase.inFile(operand).source)
                passphrases += 1
            case "entry": sources.append(try Backend.keyEntry(from: operand, invocation.options))
            case "systemd-credential": sources.append(.systemdCredential(operand))
            default: throw Failure.usage("key rotate takes no such word.")
            }
        }
        guard invocation.options.renewsMasterKey || words.isEmpty else {
            throw Failure.usage("Only with --master other keys are needed, and slots can go.")
        }
    }

    func run() throws {
        let vault = try invocation.vault()
        let slots = try KeyAction.slots(of: vault)
        let line = ProgressLine("sealed anew")
        defer { line.end() }
        guard invocation.options.renewsMasterKey else {
            return try vault.rotateDataKey(progress: line.show)
        }
        try KeyAction.check(removed, among: slots)
        let asked = try askForOthers(slots, of: vault)
        do {
            try vault.rotateMasterKey(keeping: sources + asked, removing: removed, progress: line.show)
        } catch {
            guard error.category == .keySourceMissing, vault.isOpen else { throw error }
            throw Failure(error).saying(
                "The key of a slot that stays was not named, or is not where it was named.",
                "Name one for each slot that \"credstore key list\" prints, or that a slot goes; nothing was changed.")
        }
    }

    /// The passphrases that nothing names, from the terminal.
    private func askForOthers(_ slots: [KeySlot], of vault: EncryptedFileStorage) throws -> [KeySource] {
        let wanted = slots.count { $0.source == .passphrase && !removed.contains($0.id) }
        let isOwn = vault.keyKind == KeySlotKind.passphrase.name
        let missing = wanted - passphrases - (isOwn ? 1 : 0)
        guard missing > 0, invocation.options.prompts != .never, let terminal = Terminal.controlling else { return [] }
        return try (0..<missing).map { _ in
            try Passphrase.askedOn(terminal, "Passphrase of another slot: ").source
        }
    }
}

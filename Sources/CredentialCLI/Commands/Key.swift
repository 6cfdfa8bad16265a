internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing

extension Command {
    static let key = Command(
        "key", operands: "ACTION", count: 1...64,
        summary: "list, add, remove, change and renew the keys of the vault",
        help: KeyAction.help
    ) { invocation in
        guard let action = KeyAction.all.first(where: { $0.name == invocation.operands[0] }) else {
            throw Failure.usage("There is no such action of key.")
        }
        guard action.takesKind || (invocation.options.newPassphrase == nil && invocation.options.newKeyBackend == nil),
            action.takesMaster || !invocation.options.renewsMasterKey
        else { throw Failure.usage("An option was given that this action does not take.") }
        try action.run(invocation, invocation.operands.dropFirst())
    }
}

/// What `key` can do.
///
/// To add an action, add a row to ``all``.
struct KeyAction: Sendable {
    typealias Words = ArraySlice<String?>

    let name: String
    /// The words behind the name.
    let operands: String
    let help: String
    /// Whether a new key is named, with the options that tell where it comes from.
    var takesKind = false
    var takesMaster = false
    let run: @Sendable (Invocation, Words) throws -> Void

    static let all = [list, add, remove, change, rotate]

    static var help: String {
        let kinds = KeyKind.all.map(\.synopsis).joined(separator: ", ")
        let actions = all.map { "key \($0.name)\($0.operands.isEmpty ? "" : " \($0.operands)"): \($0.help)" }
        return """
            Works on the key slots of the vault: each holds one key that opens it. KIND is one of \(kinds). A new \
            passphrase comes from --new-passphrase-file, --new-passphrase-fd or the terminal. A key file that does not \
            exist yet is made, and so is an entry \(KeySource.entryName) of the backend behind --from, and a key in the \
            kernel's memory, which ends with the next boot. One that opens the vault already is refused with exit 10. A \
            credential is one that systemd hands to this service, with 32 random bytes or more. machine is the key that \
            opens the vault now, with the id of this machine mixed in: where the other slots are removed, a copy of the \
            vault does not open elsewhere, even with the key. The id is no secret on the machine. Exit 5 or 11 because the \
            answer could not be written (outputFailed, outputFull) means that the change was made.

            \(actions.joined(separator: "\n\n"))
            """
    }

    private static let list = KeyAction(
        name: "list", operands: "", help: "Prints number and kind of each slot; no key is needed."
    ) { invocation, words in
        guard words.isEmpty else { throw tooMany }
        let slots = try slots(of: try invocation.newVault())
        guard invocation.options.isJSON else {
            return try invocation.output.write(slots.map { "\(line($0))\n" }.joined())
        }
        var json = JSONWriter()
        json.array { json in
            for slot in slots { write(slot, to: &json) }
        }
        try invocation.write(json)
    }

    private static let add = KeyAction(
        name: "add", operands: "KIND", help: "Adds a key and prints its slot; the others go on to open the vault.",
        takesKind: true
    ) { invocation, words in
        let kind = try KeyKind.parse(words, invocation.options)
        let vault = try invocation.vault()
        let slots = try slots(of: vault)
        guard slots.count < Layout.maximumSlots else {
            throw Failure(StorageError.conflict).saying(
                "The vault has as many keys as it can have.", "Remove one first; nothing was changed.")
        }
        let source = try kind(invocation, vault)
        try report(try refusingDuplicates(beside: slots, of: vault) { try vault.addKey(source) }, invocation)
    }

    private static let remove = KeyAction(
        name: "remove", operands: "SLOT",
        help: """
            Removes a key. Exit 10 means that there is no such slot, or no other one. A copy of the vault that somebody \
            kept still opens with it; rotate --master makes that worthless for what is stored from then on.
            """
    ) { invocation, words in
        guard words.count == 1 else { throw tooMany }
        let slot = try number(words.first)
        let vault = try invocation.vault()
        try check([slot], among: try slots(of: vault))
        try vault.removeKey(inSlot: slot)
    }

    private static let change = KeyAction(
        name: "change", operands: "SLOT [KIND]",
        help: "Puts another key in the place of one; without KIND a passphrase in the place of a passphrase.",
        takesKind: true
    ) { invocation, words in
        let slot = try number(words.first)
        let vault = try invocation.vault()
        let slots = try slots(of: vault)
        try check([slot], among: slots)
        let present = slots.first { $0.id == slot }
        let rest = words.dropFirst()
        guard !rest.isEmpty || present?.source == .passphrase else {
            throw Failure.usage("The slot holds no passphrase, so the kind of the new key must be named.")
        }
        let kind = try KeyKind.parse(rest.isEmpty ? [KeyKind.passphrase.name] : rest, invocation.options)
        let source = try kind(invocation, vault)
        let changed = try refusingDuplicates(beside: slots, of: vault) {
            try vault.changeKey(inSlot: slot, to: source)
        }
        try report(changed, invocation)
    }

    private static let rotate = KeyAction(
        name: "rotate", operands: "[\(KeyRotationCommand.words) | remove SLOT] ...",
        help: """
            Seals every value anew under a new data key; all slots stay. With --master the master key is renewed too, so \
            that who kept the old one, or a removed key and an old copy of the vault, opens nothing that is stored from \
            then on. This wants the key of every slot that stays: the words behind rotate name those that the options do \
            not, and the slots that go.
            """,
        takesMaster: true
    ) { invocation, words in try KeyRotationCommand(invocation, words).run() }

    /// The slots of a vault that is there.
    static func slots(of vault: EncryptedFileStorage) throws -> [KeySlot] {
        let slots = try vault.keySlots()
        guard !slots.isEmpty else { throw Failure.absent }
        return slots
    }

    static func number(_ word: String??) throws(Failure) -> Int {
        guard case .some(.some(let word)) = word,
            word.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(word)
        else { throw .usage("A slot is named by its number, which key list prints.") }
        return number
    }

    static var tooMany: Failure { .usage("The action was given too few or too many words.") }

    /// Throws where a slot is named that the vault does not have.
    static func check(_ named: Set<Int>, among slots: [KeySlot]) throws(Failure) {
        guard named.isSubset(of: slots.map(\.id)) else {
            throw Failure(StorageError.conflict).saying(
                "There is no such slot.", "\"credstore key list\" prints the numbers; nothing was changed.")
        }
    }

    /// Says of a conflict what it is about: that there is a place for the key was known before.
    private static func refusingDuplicates(
        beside slots: [KeySlot],
        of vault: EncryptedFileStorage,
        _ change: () throws -> KeySlot
    ) throws -> KeySlot {
        do {
            return try change()
        } catch let error as StorageError where error.cause == .conflict {
            guard try vault.keySlots() == slots else {
                throw Failure(error).saying(
                    "The keys of the vault were changed meanwhile.",
                    "Look at them with \"credstore key list\" and decide again; nothing was changed.")
            }
            throw Failure(error).saying(
                "This key opens the vault already.", "Name another one; nothing was changed.")
        }
    }

    private static func report(_ slot: KeySlot, _ invocation: Invocation) throws {
        invocation.output.tellOfChange()
        guard invocation.options.isJSON else { return try invocation.output.write("\(line(slot))\n") }
        var json = JSONWriter()
        write(slot, to: &json)
        try invocation.write(json)
    }

    private static func line(_ slot: KeySlot) -> String {
        "\(slot.id)  \(slot.kindName)\(slot.isBoundToMachine ? ", on this machine only" : "")"
    }

    private static func write(_ slot: KeySlot, to json: inout JSONWriter) {
        json.object { json in
            json.member("slot", slot.id)
            json.member("kind", slot.kindName)
            json.member("machine", slot.isBoundToMachine)
        }
    }
}

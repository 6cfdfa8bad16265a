internal import CredentialStorage
internal import CredentialStorageFile

extension Command {
    static let reset = Command(
        "reset",
        summary: "put an empty vault in the place of one that cannot be opened",
        help: """
            Makes an empty vault with new keys, also where the key of the old one is lost or the old file is no vault any \
            more, and keeps the old file beside it, under its name with .old-1 appended, or the next free number, which \
            is printed. A key file that does not exist is made; a new passphrase comes from --passphrase-file, \
            --passphrase-fd or --new-passphrase-file, --new-passphrase-fd. The default key file is taken without being \
            named only where the old vault is known to open with a key file; where its header cannot be read, an option \
            must say what the new vault opens with. It asks first, and wants --yes where there is no terminal. Exit 3 \
            means that there is no vault; exit 5 or 11 because the name could not be printed (outputFailed, outputFull), \
            that it was done.
            """
    ) { invocation in
        guard try invocation.newVault().hasVault else { throw Failure.absent }
        try invocation.agree(to: "All entries will be gone from the vault; the old file is kept beside it.")
        guard let aside = try invocation.vaultToReset().reset() else { throw Failure.absent }
        invocation.output.tellOfChange()
        guard invocation.options.isJSON else { return try invocation.output.write("\(aside.escapingControls())\n") }
        var json = JSONWriter()
        json.object { json in json.member("aside", aside) }
        try invocation.write(json)
    }
}

extension Invocation {
    /// Asks whether a person really wants it, unless the command line says so.
    func agree(to consequence: StaticString) throws {
        if options.isAgreed { return }
        guard options.prompts != .never, let terminal = Terminal.controlling else {
            throw Failure.usage("This command wants --yes where nobody can be asked.")
        }
        guard try terminal.confirm(consequence) else { throw StorageFault.unavailable(.promptDismissed) }
    }
}

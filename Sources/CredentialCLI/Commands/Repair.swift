internal import CredentialStorage
internal import CredentialStorageFile

extension Command {
    static let repair = Command(
        "repair",
        summary: "keep what still opens of a damaged vault",
        help: """
            Writes the entries that open into a new vault file, names those that did not, and keeps the old file beside \
            the vault, under its name with .old-1 appended, or the next free number. It asks first, and wants --yes \
            where there is no terminal. A sound vault is left as it is. A vault that is older than it was is accepted as it \
            is, after this last notice. Exit 12 means that something was lost, 3 that there is no vault.
            """
    ) { invocation in
        let vault = try invocation.vault()
        guard vault.hasVault else { throw Failure.absent }
        try invocation.agree(to: "Entries that do not open will be gone from the vault; the old file is kept.")
        guard let report = try vault.repair() else { throw Failure.absent }
        if report.keptAside != nil { invocation.output.tellOfChange() }
        if invocation.options.isJSON {
            try invocation.write(json(report))
        } else {
            try invocation.output.write(text(report, escapes: invocation.output.isTerminal))
        }
        guard !report.isComplete else { return }
        guard report.omitted.isEmpty, report.lost == 0 else { throw Failure.incomplete }
        throw Failure.incomplete.saying(
            "An older copy of the vault stood in the place of a newer one, and is accepted now.",
            "Its newest changes are gone; set them again, or put the newer one back.")
    }

    private static func json(_ report: RepairReport) -> JSONWriter {
        var json = JSONWriter()
        json.object { json in
            json.member("kept", report.kept)
            json.member("omitted") { json in
                json.array { json in
                    for omission in report.omitted {
                        json.object { json in
                            json.member("name", omission.key)
                            json.member("reason", omission.reason.rawValue)
                        }
                    }
                }
            }
            json.member("lost", report.lost)
            json.member("rolledBack", report.wasRolledBack)
            json.member("aside", report.keptAside)
        }
        return json
    }

    private static func text(_ report: RepairReport, escapes: Bool) -> String {
        var lines = ["kept     \(report.kept)"]
        for omission in report.omitted {
            let name = omission.key.map { escapes ? $0.escapingControls() : $0 }
            lines.append("omitted  \(name ?? "an entry whose name is gone too")")
        }
        if report.lost > 0 { lines.append("lost     \(report.lost)") }
        if report.wasRolledBack { lines.append("older    a newer state of this vault had been seen") }
        if let aside = report.keptAside { lines.append("aside    \(aside.escapingControls())") }
        return lines.joined(separator: "\n") + "\n"
    }
}

internal import CredentialStorage
internal import CredentialStorageFile

extension Command {
    static let verify = Command(
        "verify",
        summary: "check every byte of the vault",
        help: """
            Reads the whole vault and prints what it holds: how many entries open and how many are damaged, how many \
            losses there are of which nothing tells whose they were, and offset, length, kind and state of each frame, \
            never a name. A frame is one change of an entry; one that a later change replaced is superseded.

            Exit 0 means that every entry opens, nothing is lost and both copies of the header are whole and the same; \
            there may be damage then that takes nothing from any entry, as in a value that was set again later. Exit 12 means that \
            something is damaged or missing, 3 that there is no vault.
            """
    ) { invocation in
        let vault = try invocation.vault()
        guard let report = try vault.verify() else { throw Failure.noVault }
        if invocation.options.isJSON {
            try invocation.write(json(report))
        } else {
            try invocation.output.write(text(report))
        }
        guard report.isIntact else { throw failure(report) }
    }

    private static func failure(_ report: VaultReport) -> Failure {
        if report.damagedEntries > 0 || report.lost > 0 {
            return Failure.incomplete.saying(
                "Entries are damaged or lost.",
                "Run \"credstore dump\" to see which, and set them again or restore the file from a backup.")
        }
        if report.isRolledBack {
            return Failure.incomplete.saying(
                "An older copy of the vault stands in the place of a newer one.",
                "Put the newer one back, or find out what changed it.")
        }
        if report.headerCopiesDiffer {
            return Failure.incomplete.saying(
                "The two copies of the header differ, and a key that was removed may open the older one.",
                "Run \"credstore repair\", or write an entry, to make them the same.")
        }
        return Failure.incomplete.saying(
            "One of the two copies of the header is damaged.", "Every entry opens; keep a backup of the file.")
    }

    private static func json(_ report: VaultReport) -> JSONWriter {
        var json = JSONWriter()
        json.object { json in
            json.member("frames") { json in
                json.array { json in
                    for frame in report.frames {
                        json.object { json in
                            json.member("offset", frame.offset)
                            json.member("length", frame.length)
                            json.member("kind", frame.kind.rawValue)
                            json.member("state", frame.state.rawValue)
                        }
                    }
                }
            }
            json.member("entries", report.entries)
            json.member("damagedEntries", report.damagedEntries)
            json.member("damaged", report.damaged)
            json.member("lost", report.lost)
            json.member("header") { json in
                json.array { json in
                    for isWhole in report.headerCopies { json.string(word(isWhole)) }
                }
            }
            json.member("headerCopiesDiffer", report.headerCopiesDiffer)
            json.member("version", report.version)
            json.member("slots", report.slots)
            json.member("size", report.size)
            json.member("rolledBack", report.isRolledBack)
            json.member("intact", report.isIntact)
            json.member("sound", report.isSound)
        }
        return json
    }

    private static func text(_ report: VaultReport) -> String {
        var lines = [
            "version      \(report.version)",
            "size         \(report.size) bytes",
            "key slots    \(report.slots)",
            "header       \(header(report))",
            "entries      \(report.entries) open, \(report.damagedEntries) damaged",
            "lost         \(report.lost)",
            "frames       \(report.frames.count), \(report.damaged) damaged",
        ]
        for frame in report.frames {
            let numbers = "\(column(frame.offset, 12)) \(column(frame.length, 9))"
            lines.append("\(numbers)  \(frame.kind.rawValue) \(frame.state.rawValue)")
        }
        if report.isRolledBack { lines.append("rolled back  a newer state of this vault has been seen") }
        let pastDamage = "intact; the damage keeps no entry from opening"
        lines.append(report.isSound ? "sound" : report.isIntact ? pastDamage : "not sound")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func header(_ report: VaultReport) -> String {
        report.headerCopies.map(word).joined(separator: ", ")
            + (report.headerCopiesDiffer ? "; the two copies differ" : "")
    }

    private static func word(_ isWhole: Bool) -> String { isWhole ? "ok" : "damaged" }

    private static func column(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: " ", count: max(0, width - digits.utf8.count)) + digits
    }
}

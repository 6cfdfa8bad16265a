import CredentialCLI
import CredentialStorage

/// The man page, made from the tables, so that page and code cannot part.
enum ManualPage {
    static var source: String {
        ([head, synopsis, description, commands, options, places, exitStatus, errors, environment, examples])
            .joined(separator: "\n") + "\n"
    }

    private static let head = """
        .TH CREDSTORE 1 "" "credstore" "User Commands"
        .SH NAME
        credstore \\- keep small secrets in an encrypted file or in the keyring
        """

    private static let synopsis = """
        .SH SYNOPSIS
        .B credstore
        .RI [ OPTION " ...] " COMMAND " [" NAME ]
        """

    private static let description = """
        .SH DESCRIPTION
        .B credstore
        keeps tokens, passwords and keys under names. Names are bytes: 1 to 1024 bytes of UTF\\-8 without NUL, compared
        byte for byte. A value has 0 to 1048576 bytes of any kind. Values are read from standard input and written to
        standard output exactly as they are; they are never taken from the command line or from the environment.
        """

    private static var commands: String {
        ".SH COMMANDS\n"
            + Command.all.map { command in
                let words = command.synopsis.split(separator: " ").map(String.init)
                let operands = words.dropFirst().map { " \\fI\(escaped($0))\\fR" }.joined()
                return ".TP\n\\fB\(escaped(words[0]))\\fR\(operands)\n\(paragraphs(command.help))"
            }.joined(separator: "\n")
    }

    private static var options: String {
        ".SH OPTIONS\nOptions stand before or after the command; \\fB\\-\\-\\fR ends them.\n"
            + OptionRow.all.map { row in
                let value = row.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
                return ".TP\n\\fB\(escaped(row.name))\\fR\(value)\n\(escaped(row.help)).\n"
            }.joined().dropLast()
    }

    private static let places = """
        .SH FILES
        .TP
        .I credentials.vault
        The vault, in the first of: the path of \\fB\\-\\-path\\fR, \\fI$STATE_DIRECTORY\\fR,
        \\fI$XDG_DATA_HOME/SERVICE\\fR, \\fI$HOME/.local/share/SERVICE\\fR. Beside it stands
        \\fIcredentials.vault.lock\\fR. Both have mode 0600. With \\fB\\-\\-group\\fR it is
        \\fI$XDG_DATA_HOME/GROUP\\fR or \\fI$HOME/.local/share/GROUP\\fR, whatever \\fI$STATE_DIRECTORY\\fR says: the group
        and the service of one name are one vault.
        .TP
        .I credentials.choice
        What the first write chose, beside the vault. It holds no secret.
        .TP
        .I $XDG_CONFIG_HOME/SERVICE/vault.key
        The default key, 32 random bytes, mode 0600. It is made by \\fBinit\\fR, or by the first \\fBset\\fR when neither
        it nor a vault exists, and the key is not in the keyring. No key is ever made for a vault that exists. Its place follows from the service, or from the
        group where one is named, also where \\fB\\-\\-path\\fR or \\fI$STATE_DIRECTORY\\fR puts the vault elsewhere;
        \\fBdoctor\\fR prints where it is looked for.
        .SH BACKENDS
        \\fBfile\\fR keeps entries in an encrypted file, \\fBsecret\\-service\\fR in the keyring. \\fBauto\\fR is chosen by the first
        \\fBset\\fR or \\fBinit\\fR of a service, and noted: where there is a keyring, an encrypted file whose key is an entry of it;
        where there is none at all, an encrypted file under the default key; the keyring itself only where another program has
        noted that for its service. A keyring that is locked, slow or broken is an error then, and nothing is chosen in its place
        nor made. What was chosen is used ever after, or its error is the answer. A vault that is there already is used as it is.
        Commands that only read choose nothing.
        .PP
        An option that only one backend takes names that backend: \\fB\\-\\-path\\fR and the options of keys the file,
        \\fB\\-\\-collection\\fR the keyring.
        .SH PASSPHRASES
        \\fB\\-\\-passphrase\\-file\\fR and \\fB\\-\\-passphrase\\-fd\\fR take all bytes up to the end, at most 1048576, without
        one newline at the end; another newline, a carriage return or a space belongs to the passphrase. A regular file
        that group or others may use is refused, so its mode is 0600 or 0400; pipes and descriptors are taken as they are.
        .PP
        Where the file or the descriptor is a terminal, the passphrase is asked for without being shown, and ends before
        the newline; a new vault\\(aqs is asked for twice. A vault that only a passphrase opens is asked about on the terminal
        where no key option is given. \\fB\\-\\-no\\-prompt\\fR forbids these questions.
        """

    private static var exitStatus: String {
        ".SH EXIT STATUS\n"
            + ExitCode.all.map { ".TP\n\\fB\($0.number)\\fR\n\(escaped($0.meaning)).\n" }.joined()
                + """
                .PP
                A command that a signal ended has 128 and the signal's number: 130 after Ctrl\\-C at a question, 141 when the
                reader of the output went away.
                """
    }

    private static var errors: String {
        let rows = (ErrorTable.tool + ErrorTable.all).sorted { ($0.exitCode, $0.name) < ($1.exitCode, $1.name) }
        let table = rows.map { row in
            ".TP\n\\fB\(escaped(row.notation))\\fR (exit \(row.exitCode))\n\(escaped(row.sentence)) \(escaped(row.remedy))\n"
        }.joined()
        return """
            .SH ERRORS
            An error is one sentence on standard error. With \\fB\\-\\-json\\fR it is one object:
            .PP
            .nf
            {"error":{"cause":\\fICAUSE\\fR,"category":\\fICATEGORY\\fR,"code":\\fICODE\\fR,"exit":\\fIEXIT\\fR}}
            .fi
            .PP
            For a store that cannot be reached the cause is \\fBunavailable\\fR and the category says why; for an entry that
            cannot be read the cause is \\fBundecryptable\\fR and the category is the reason. Below, the category stands in
            parentheses. The code is
            {"domain":\\fIDOMAIN\\fR,"number":\\fINUMBER\\fR} where the system gave one. Category and code are null where
            there is none.
            \(table)
            """.dropping(suffix: "\n")
    }

    private static let environment = """
        .SH ENVIRONMENT
        \\fISTATE_DIRECTORY\\fR, \\fIXDG_DATA_HOME\\fR, \\fIXDG_CONFIG_HOME\\fR and \\fIHOME\\fR decide where files are,
        \\fIDBUS_SESSION_BUS_ADDRESS\\fR and \\fIXDG_RUNTIME_DIR\\fR where the session bus is.
        """

    private static let examples = """
        .SH EXAMPLES
        .nf
        printf %s "$token" | credstore set api\\-token
        credstore get api\\-token
        credstore list \\-\\-json
        credstore verify && echo sound
        credstore \\-\\-passphrase\\-file <(pass show vault) get api\\-token
        .fi
        """

    private static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n").map { escaped(String($0)) }.joined(separator: "\n.sp\n")
    }

    /// Text as roff shows it unchanged.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") ? "\\&\(result)" : result
    }
}

extension String {
    fileprivate func dropping(suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}

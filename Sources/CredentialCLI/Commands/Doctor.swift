internal import CredentialStorage

extension Command {
    static let doctor = Command(
        "doctor",
        summary: "report which backends work, and why",
        help: """
            Prints every backend, whether it can be used or only read, why not and what to do, which rule chose, where \
            the vault is, where its key is looked for, and which protection it reaches. Of a file that is not private it \
            prints the mode or the owner. It looks at the header only; verify looks at the entries. It writes nothing, \
            asks nothing and shows no entry. A keyring's provider that is installed and not running is not started for \
            it: whether it works is not proven then, and "usable" is null with --json. Exit 0 means that the report was \
            made.
            """
    ) { invocation in
        let report = DoctorReport(invocation)
        if invocation.options.isJSON {
            try invocation.write(report.json)
        } else {
            try invocation.output.write(report.text)
        }
    }
}

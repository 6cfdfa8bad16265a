internal import CredentialStorage

extension Command {
    static let doctor = Command(
        "doctor",
        summary: "report which backends work, and why",
        help: """
            Prints which backend is chosen and by which rule, what the first write noted, in which sandbox this runs, and of \
            every backend whether it can be used or only read, why not and what to do. Of the file: where the vault and its \
            key are looked for, the modes, the kind of file system, the key slots, and which protection is reached; of a file \
            that is not private the mode or the owner. Of the keyring: the bus, the provider with its owner and, where it \
            tells, its version, the collections with their state, and how secrets travel over the bus. It looks at the \
            header only; verify looks at the entries. It writes nothing, asks nothing and shows no entry, and a provider \
            that says nothing keeps it for less than two seconds. A keyring's provider that is installed and not running is \
            not started for it: whether it works is not proven then, and "usable" is null with --json. Exit 0 means that \
            the report was made.
            """
    ) { invocation in
        let report = try DoctorReport(invocation)
        if invocation.options.isJSON {
            try invocation.write(report.json)
        } else {
            try invocation.output.write(report.text)
        }
    }
}

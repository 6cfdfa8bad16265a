internal import CredentialStorage
internal import Glibc

extension Command {
    static let set = Command(
        "set", operands: "NAME", count: 1...1,
        note: "the value comes from standard input, never from arguments",
        summary: "store a value",
        help: """
            Stores the value from standard input under NAME, in place of an older one. A value that is piped is taken \
            exactly as it comes, newlines included. On a terminal it is asked for without being shown, and ends before \
            the newline. It is never taken from the command line. A value has 0 to 1048576 bytes.

            Exit 0 means that the value is on the disk, or that the keyring's provider has confirmed it. The first set \
            makes the vault and, where no key option is given, its key. Where no option names a backend, it also chooses, and \
            notes for good: a vault under a key in the keyring, or where there is no keyring at all one under a key file. A \
            keyring that is locked, slow or broken then is an error, and nothing is made.
            """
    ) { invocation in
        let name = try invocation.entryName()
        if case .passphraseDescriptor(STDIN_FILENO) = invocation.options.key, Terminal.standardInput == nil {
            throw Failure.usage("Standard input cannot give both the value and the passphrase.")
        }
        let value = try readValue(invocation.options)
        try invocation.writing { store in
            try value.withBytes { try store.setSecret($0, forKey: name) }
        }
    }

    private static let valueLimit = 1 << 20

    private static func readValue(_ options: Options) throws -> SecureBuffer {
        if let terminal = Terminal.standardInput {
            guard options.prompts != .never else { throw StorageFault.unavailable(.promptNeeded) }
            return try terminal.ask("Value: ")
        }
        do {
            return try Input.readAll(from: STDIN_FILENO, limit: valueLimit)
        } catch {
            throw switch error {
            case .noMemory: StorageFault.noMemory.during(.write)
            case .tooLong: StorageError.valueTooLarge(limit: valueLimit)
            case .system(let number): Failure.input(number)
            }
        }
    }
}

internal import CredentialStorage

extension Command {
    static let delete = Command(
        "delete", operands: "NAME", count: 1...1,
        summary: "remove an entry",
        help: "Removes NAME and its value. Exit 3 means that there was no such entry."
    ) { invocation in
        let name = try invocation.entryName()
        guard try invocation.store().delete(name) else { throw Failure.absent }
    }
}

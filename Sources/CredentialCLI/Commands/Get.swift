internal import CredentialStorage

extension Command {
    static let get = Command(
        "get", operands: "NAME", count: 1...1,
        summary: "print a value",
        help: """
            Prints the value of NAME. In a pipe or a file these are exactly the bytes that were stored; on a terminal \
            a newline follows. Exit 3 means that there is no such entry.
            """
    ) { invocation in
        let name = try invocation.entryName()
        let store = try invocation.store()
        var value: SharedSecret?
        // Copied, so that a slow reader of the output does not keep the store busy.
        try store.withSecret(forKey: name) { bytes in
            if let bytes { value = SharedSecret(try SecureBuffer(copying: bytes, in: .shared)) }
        }
        guard let value else { throw Failure.absent }
        try value.bytes.withBytes { (bytes) throws(Failure) in try invocation.output.write(bytes) }
        if invocation.output.isTerminal { try invocation.output.write("\n") }
    }
}

internal import CredentialStorage

extension Command {
    static let list = Command(
        "list",
        summary: "print the names of all entries",
        help: """
            Prints one name a line, in byte order; with --json an array. On a terminal control characters in names are \
            escaped. Entries whose value is damaged are listed too. Without a vault the list is empty. A name \
            may hold any character, a newline too: scripts that meet the names of others use --json.
            """
    ) { invocation in
        let names = try invocation.store().keys()
        if invocation.options.isJSON {
            var json = JSONWriter()
            try json.array { (json) throws(Failure) in
                for name in names {
                    json.string(name)
                    // In pieces, so that many names do not stand in memory twice more.
                    if json.bytes.count > pieceLength { try invocation.output.write(json.take().span) }
                }
            }
            return try invocation.write(json)
        }
        let escapes = invocation.output.isTerminal
        var lines: [UInt8] = []
        for name in names {
            lines.append(contentsOf: (escapes ? name.escapingControls() : name).utf8)
            lines.append(UInt8(ascii: "\n"))
            if lines.count > pieceLength {
                try invocation.output.write(lines.span)
                lines.removeAll(keepingCapacity: true)
            }
        }
        try invocation.output.write(lines.span)
    }

    private static let pieceLength = 1 << 18
}

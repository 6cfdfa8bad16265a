internal import CredentialStorage

extension Command {
    static let dump = Command(
        "dump",
        summary: "print all entries as JSON",
        help: """
            Prints {"entries": {NAME: VALUE}, "omitted": [{"name": NAME or null, "reason": REASON}]}, with values in \
            base64 and entries in byte order. Entries that cannot be read are listed as omitted. A member "lost" counts \
            losses that left not even a place. Exit 12 means that something was omitted or lost; standard \
            output is whole JSON then too. Names that differ \
            only in their bytes, such as the two forms of an accented letter, are different members.
            """
    ) { invocation in
        let store = try invocation.store()
        let bulk = try store.readAll()
        bulk.report(to: store.log)
        var json = JSONWriter()
        try json.object { (json) throws(Failure) in
            try json.member("entries") { (json) throws(Failure) in
                try json.object { (json) throws(Failure) in
                    for entry in bulk.entries {
                        try grown(by: entry.value.count)
                        json.member(entry.key, base64: entry.value)
                        // In pieces, so that a large store does not stand in memory twice more.
                        if json.bytes.count > 1 << 18 { try invocation.output.write(json.take().span) }
                    }
                }
            }
            json.member("omitted") { json in
                json.array { json in
                    for omission in bulk.omitted {
                        json.object { json in
                            json.member("name", omission.key)
                            json.member("reason", omission.reason.rawValue)
                        }
                    }
                }
            }
            if bulk.lost > 0 { json.member("lost", bulk.lost) }
        }
        try invocation.write(json)
        guard bulk.isComplete else { throw failure(bulk) }
    }

    private static func failure(_ bulk: BulkRead) -> Failure {
        let reasons = Set(bulk.omitted.map(\.reason))
        guard !reasons.isDisjoint(with: [.locked, .ambiguous]) else { return .incomplete }
        if reasons == [.ambiguous], bulk.lost == 0 {
            return .incomplete.saying(
                "Some names have more than one item, of which none is chosen; the output names them.",
                "Remove all but one of each, after a look at them.")
        }
        if reasons.contains(.ambiguous) {
            return .incomplete.saying(
                "Some entries were left out; the output says which and why.",
                "Unlock what is locked, remove all but one of what is ambiguous, and set others again or restore them "
                    + "from a backup.")
        }
        guard reasons == [.locked], bulk.lost == 0 else {
            return .incomplete.saying(
                "Some entries are locked, and others are damaged or cannot be read; the output names them.",
                "Unlock the locked ones and try again; set the others again, or restore them from a backup.")
        }
        return .incomplete.saying(
            "Some entries are locked; the output names them.", "Unlock them, or allow the dialog, and try again.")
    }

    /// A value becomes a third longer in base64, in an array that doubles.
    private static func grown(by count: Int) throws(Failure) {
        do throws(StorageFault) { try MemoryRoom.check(4 * count) } catch { throw Failure(error) }
    }
}

internal import CredentialStorage

/// What `doctor` says about one thing: lines for a person, and the members of the JSON form that say the same.
struct DoctorRow {
    let lines: [String]
    let write: (inout JSONWriter) -> Void

    init(_ lines: [String], write: @escaping (inout JSONWriter) -> Void) {
        self.lines = lines
        self.write = write
    }

    init(_ line: String, _ name: String, _ text: String?) {
        self.init([line]) { $0.member(name, text) }
    }
}

extension JSONWriter {
    /// One object of rows as the value that comes next.
    mutating func object(of rows: [DoctorRow]) {
        object { json in
            for row in rows { row.write(&json) }
        }
    }

    mutating func members(_ name: String, _ members: [(name: String, text: String?)]) {
        member(name) { json in
            json.object { json in
                for member in members { json.member(member.name, member.text) }
            }
        }
    }

    /// A number, truth or text that may not be known.
    mutating func member(_ name: String, _ truth: Bool?) {
        member(name) { json in
            if let truth { json.bool(truth) } else { json.null() }
        }
    }
}

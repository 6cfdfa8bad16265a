internal import CredentialStorage
internal import CredentialStorageFile
internal import FoundationEssentials
internal import Glibc

/// Work beside or during a maintenance that another process does, or that is killed here.
///
/// `churn` writes pairs of equal values, `watch` reads them and says what is wrong, the others compact and rotate.
func maintain() throws {
    switch argument(0) {
    case "churn":
        for round in 0... {
            // Two entries of one commit, one of varying size, and one that goes again.
            let value = Data("\(argument(3)) \(round) ".utf8) + Data(count: round * 131 % 3000)
            try storage.update { batch in
                try batch.set(value, forKey: "\(argument(3)) left")
                try batch.set(value, forKey: "\(argument(3)) right")
            }
            try storage.set(Data(count: round % 500), forKey: "\(argument(3)) passing")
            _ = try storage.delete("\(argument(3)) passing")
            try storage.set(value, forKey: "\(argument(3)) kept \(round % 50)")
            say("\(round)")
        }
    case "compact-for-ever":
        for round in 0... {
            try storage.compact()
            say("\(round)")
        }
    case "rotate-for-ever":
        for round in 0... {
            if round % 2 == 0 { try storage.rotateDataKey() } else { try storage.rotateMasterKey() }
            say("\(round)")
        }
    case "maintain-once":
        // Each line says that what stands in it is answered.
        try storage.set("value", forKey: "name")
        say("set")
        try storage.set("another", forKey: "name")
        say("set")
        try storage.compact()
        say("compact")
        try storage.rotateDataKey()
        say("rotate")
    default:
        try watch()
    }
}

/// Reads until it is told to stop.
private func watch() throws {
    var waiting = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    var rounds = 0
    while unsafe poll(&waiting, 1, 0) == 0 {
        let all = try storage.readAll()
        if !all.isComplete { say("not complete") }
        let values = all.entries.map { ($0.key, $0.value) }
        for (name, value) in values where name.hasSuffix(" left") {
            let right = "\(name.dropLast(5)) right"
            if values.first(where: { $0.0 == right })?.1 != value { say("half a batch") }
            if try storage.get(name) == nil { say("an entry is gone") }
        }
        if try storage.string(forKey: "constant") != "constant" { say("the constant is not") }
        if try storage.get("never") != nil { say("something that never was") }
        rounds += 1
        if rounds == 1 { say("started") }
    }
    say(rounds > 1 ? "watched" : "hardly watched")
}

internal import CTestFork
internal import CredentialStorage
internal import CredentialStorageFile
internal import CredentialStorageSealing
internal import FoundationEssentials
internal import Glibc

// A process of its own that uses a vault: one of several writers, a holder of a lock, a victim of a kill or a limit.
// Each line that it prints is out before the next step begins.

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress!, $0.count) }
}

let arguments = CommandLine.arguments.dropFirst().map(\.self)

func argument(_ index: Int) -> String {
    guard arguments.indices.contains(index) else {
        say("an argument is missing")
        exit(2)
    }
    return arguments[index]
}

func number(_ index: Int) -> Int {
    guard let number = Int(argument(index)) else {
        say("a number is missing")
        exit(2)
    }
    return number
}

let builder = StorageBuilder.EncryptedFile(service: "test").path(argument(1))
    .keySource(argument(2) == "-" ? .defaultKeyFile : .keyFile(argument(2))).deadline(.seconds(30))
    // No other thread while memory is short.
    .lookingAhead(!argument(0).hasPrefix("starve"))
let storage = builder.build()

/// Never returns; whoever started this process ends it.
func holdForEver() -> Never {
    while true { pause() }
}

func describe(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "done"
    } catch let error as StorageError {
        return error.category?.rawValue ?? "\(error.cause)"
    } catch {
        return "foreign"
    }
}

do {
    switch argument(0) {
    case "set-many":
        // Each name is printed when it is acknowledged.
        for index in 0..<number(4) {
            let name = "\(argument(3)) \(index)"
            try storage.set(Data(repeating: UInt8(truncatingIfNeeded: index), count: 40 + index % 700), forKey: name)
            say(name)
        }
    case "churn", "compact-for-ever", "rotate-for-ever", "maintain-once", "watch":
        try maintain()
    case "hold-vault":
        try storage.update { batch in
            try batch.set("held", forKey: "held")
            say("held")
            holdForEver()
        }
    case "hold-lock":
        let lock = try storage.acquireLock(argument(3), timeout: .seconds(10))
        say("held")
        withExtendedLifetime(lock) { holdForEver() }
    case "obey":
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch words.first {
            case "get": say(try storage.string(forKey: words[1]) ?? "nil")
            case "set":
                try storage.set(words[2], forKey: words[1])
                say("done")
            case "compact":
                try storage.compact()
                say("done")
            default: say("unknown")
            }
        }
    case "try":
        // What each door answers in this process's place.
        say("get " + describe { _ = try storage.get("name") })
        say("set " + describe { try storage.set("new", forKey: "name") })
        say("delete " + describe { try storage.delete("name") })
        say("probe " + (storage.probe().reason?.category?.rawValue ?? "usable"))
    case "fill":
        // Until something gives, with a limit on the size of files if one is named.
        let limit = number(3)
        if limit > 0 {
            var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0 else { exit(3) }
        }
        try storage.set("old", forKey: "name")
        var stored = 0
        while describe({ try storage.set(Data(count: 3000), forKey: "large \(stored)") }) == "done" { stored += 1 }
        say("set " + describe { try storage.set(Data(count: 3000), forKey: "name") })
        say("get " + (try storage.string(forKey: "name") ?? "nil"))
        let count = try storage.keys().count
        say(count == stored + 1 && stored > 3 ? "complete" : "\(count) of \(stored + 1)")
        say("delete " + describe { try storage.delete("large 0") })
        say(try builder.build().keys().count == stored ? "complete" : "not what is on the disk")
        say(try storage.verify()?.isSound == true ? "sound" : "damaged")
    case "record":
        record(argument(3), operations: number(4))
    case "lock-memory":
        try lockMemory(count: 1000, size: 4096)
    case "cut-companion":
        try cutCompanion(argument(3))
    case "touch-foreign-page":
        try touchForeignPage(argument(3), isHandled: argument(4) == "handled")
    case "write-pairs":
        try writePairs()
    case "remember":
        try remember(argument(1), argument(2), length: number(3))
    case "starve":
        starve(builder, kibibytes: number(3))
    case "starve-passphrase":
        starvePassphrase(argument(1), kibibytes: number(3))
    case "fork":
        try storage.set("value", forKey: "name")
        let lock = try storage.acquireLock("lock", timeout: .zero)
        let status = ctf_run_in_child(
            {
                let refused =
                    [
                        describe { _ = try storage.get("name") }, describe { try storage.set("x", forKey: "name") },
                        describe { try storage.delete("name") }, describe { _ = try storage.readAll() },
                        describe { try storage.update { _ in } },
                        describe { _ = try storage.acquireLock("x", timeout: .zero) },
                        describe { _ = try storage.verify() }, describe { try storage.compact() },
                        describe { _ = try storage.keySlots() }, describe { try storage.removeKey(inSlot: 1) },
                        describe { try storage.rotateDataKey() }, describe { _ = try storage.repair() },
                        describe { try storage.reset() }, storage.probe().reason?.category?.rawValue ?? "usable",
                    ]
                return refused.allSatisfy { $0 == "forkedProcess" } ? 0 : 1
            }, 20)
        say("child \(status)")
        say(try storage.string(forKey: "name") ?? "nil")
        say("lock " + describe { _ = try builder.build().acquireLock("lock", timeout: .zero) })
        lock.release()
    default:
        say("unknown command")
        exit(2)
    }
} catch {
    say("failed: \(error)")
    exit(1)
}

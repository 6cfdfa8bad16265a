#if SecretService
    internal import CTestFork
    internal import CredentialStorage
    internal import CredentialStorageSecretService
    internal import FoundationEssentials
    internal import Glibc

    // A process of its own that uses the Secret Service of its own environment, as a program of somebody else would.
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

    let store = StorageBuilder.SecretService(service: argument(0)).log(.silent).build()

    /// Runs a step and says what it came to.
    func attempt(_ body: () throws -> String) {
        do { say(try body()) } catch { say("\(error)") }
    }

    func text(of value: Data?) -> String { value.map { String(decoding: $0, as: UTF8.self) } ?? "absent" }

    switch argument(1) {
    case "everything":
        attempt { text(of: try store.get("present")) }
        attempt {
            try store.set(Data("another".utf8), forKey: "fresh")
            return "set"
        }
        attempt { try store.delete("fresh") ? "deleted" : "nothing to delete" }
        attempt { "\(try store.readAll())" }
    case "get":
        attempt { text(of: try store.get(argument(2))) }
    case "upsert":
        // Many threads set one entry again and again.
        guard let threads = Int(argument(3)) else { exit(2) }
        let left = Locked(threads)
        for index in 0..<threads {
            Forking.thread {
                attempt {
                    try store.set(Data("value \(getpid()) \(index)".utf8), forKey: argument(2))
                    return "set"
                }
                left.notify { $0 -= 1 }
            }
        }
        _ = left.wait(until: nil) { $0 == 0 ? true : nil }
    case "set":
        attempt {
            try store.set(Data(argument(3).utf8), forKey: argument(2))
            return "set"
        }
    case "create":
        attempt { "\(try store.compareAndSet(argument(2), expected: nil, new: Data(argument(3).utf8)))" }
    case "fork":
        attempt { try Forking.run(rounds: 20) }
    default:
        say("unknown command")
        exit(2)
    }
#endif

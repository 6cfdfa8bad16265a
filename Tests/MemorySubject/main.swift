internal import CredentialStorage
internal import Glibc

// The subject of tests that need a process of their own: another user, another limit, or a fork. Each command prints
// what it saw and exits with 0 only when it saw what it should.

let arguments = CommandLine.arguments.dropFirst().map(\.self)

func number(_ index: Int) -> Int {
    guard arguments.indices.contains(index), let number = Int(arguments[index]) else {
        print("a number is missing")
        exit(2)
    }
    return number
}

do {
    switch arguments.first {
    case "default-log": DefaultLog.run()
    case "entries": try LockedMemory.fill(count: number(1), size: number(2))
    case "required": try LockedMemory.demand()
    case "fork": try Forking.run(rounds: number(1))
    default:
        print("unknown command")
        exit(2)
    }
} catch {
    print("failed: \(error)")
    exit(1)
}

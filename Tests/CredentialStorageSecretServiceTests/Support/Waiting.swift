import CredentialStorage
import Foundation
import Testing

/// A body that did not come back in time.
struct Hang: Error, CustomStringConvertible {
    let limit: Duration
    var description: String { "no answer within \(limit)" }
}

/// Runs a body that may block on a thread of its own, and throws when it takes longer than it may.
func within<R: Sendable>(_ limit: Duration, _ body: @escaping @Sendable () throws -> R) throws -> R {
    let result = Locked<Result<R, any Error>?>(nil)
    onThread {
        let outcome = Result { try body() }
        result.notify { $0 = outcome }
    }
    guard let outcome = result.wait(until: .now + limit, { $0 }) else { throw Hang(limit: limit) }
    return try outcome.get()
}

/// Starts a thread for a body that blocks.
func onThread(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.stackSize = 1 << 20
    thread.start()
}

/// Runs a body on several threads that start together, and gives what each came to.
func onThreads<R: Sendable>(
    _ count: Int, within limit: Duration = .seconds(120), _ body: @escaping @Sendable (Int) throws -> R
) throws -> [Result<R, any Error>] {
    let results = Locked<[Int: Result<R, any Error>]>([:])
    let gate = Locked(false)
    for index in 0..<count {
        onThread {
            _ = gate.wait(until: nil) { $0 ? true : nil }
            let result = Result { try body(index) }
            results.notify { $0[index] = result }
        }
    }
    gate.notify { $0 = true }
    let all = results.wait(until: .now + limit) { results in
        results.count == count ? results.sorted { $0.key < $1.key }.map(\.value) : nil
    }
    guard let all else { throw Hang(limit: limit) }
    return all
}

/// How long an operation under a deadline may take on a machine that is busy with something else.
func patience(_ deadline: Duration) -> Duration { deadline * 2 + .seconds(2) }

/// Whether the long jobs run; `make long` asks for them.
let runsLongTests = Environment.process["CREDENTIAL_LONG_TESTS"] == "1"

/// Whether all providers are installed and tried; `make providers` asks for them, other runs take gnome-keyring alone.
let triesAllProviders = Environment.process["CREDENTIAL_PROVIDERS"] == "all"

/// The threads of this process.
func threadCount() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
}

/// The open files of this process.
func descriptorCount() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}

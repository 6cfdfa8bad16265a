import CredentialStorage
import FoundationEssentials
import Glibc

/// A store with the five members that everybody must write, and nothing else.
///
/// It can be told to fail each call with an error.
final class FiveMemberStorage: Storage {
    struct State {
        var values: [EntryKey: Data] = [:]
        var failure: (any Error)?
        var omitted: [OmittedEntry] = []
        var lost = 0
    }

    let state = Locked(State())

    init(_ values: [(String, Data)] = []) throws {
        for (key, value) in values { try set(value, forKey: key) }
    }

    func fail(with error: (any Error)?) { state.withLock { $0.failure = error } }

    private func use<R>(_ body: (inout State) throws -> R) throws -> R {
        try state.withLock { (state: inout State) throws -> R in
            if let failure = state.failure { throw failure }
            return try body(&state)
        }
    }

    func get(_ key: String) throws -> Data? {
        let key = try EntryKey(key)
        return try use { $0.values[key] }
    }

    func set(_ value: Data, forKey key: String) throws {
        let key = try EntryKey(key)
        try use { $0.values[key] = value }
    }

    func delete(_ key: String) throws -> Bool {
        let key = try EntryKey(key)
        return try use { $0.values.removeValue(forKey: key) != nil }
    }

    func readAll() throws -> BulkRead {
        try use { state in
            BulkRead(
                entries: state.values.map { Entry(key: $0.key.name, value: $0.value) },
                omitted: state.omitted, lost: state.lost)
        }
    }

    func keys() throws -> [String] {
        try use { state in (state.values.keys + state.omitted.compactMap { try? EntryKey($0.key ?? "") }) }
            .sorted().map(\.name)
    }
}

/// An error that a store of somebody else throws, with text that must not come out of ours.
struct ForeignStorageError: Error, CustomStringConvertible {
    static let canary = "canary-foreign-71c2"
    var description: String { Self.canary }
}

/// Everything that printing a value can show.
func everyRendering(of value: Any) -> String {
    var text = "\(value)|" + String(reflecting: value) + "|" + String(describing: value) + "|"
    dump(value, to: &text)
    func walk(_ mirror: Mirror, _ depth: Int) {
        guard depth < 6 else { return }
        for child in mirror.children {
            text += "|\(child.label ?? "")=\(child.value)"
            walk(Mirror(reflecting: child.value), depth + 1)
        }
    }
    walk(Mirror(reflecting: value), 0)
    return text
}

/// Threads of the system that all start at the same moment; a task group would share the two threads of a pool.
enum TokenThreads {
    private final class Job: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let waiting = Locked(count)
        var threads: [pthread_t] = []
        for index in 0..<count {
            let job = Job {
                waiting.notify { $0 -= 1 }
                _ = waiting.wait(until: nil) { $0 == 0 ? true : nil }
                body(index)
            }
            var thread = pthread_t()
            // The thread takes over the reference and gives it back when it has run.
            let argument = unsafe Unmanaged.passRetained(job).toOpaque()
            let code = unsafe pthread_create(
                &thread, nil,
                { argument in
                    if let argument = unsafe argument {
                        unsafe Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
                    }
                    return nil
                }, argument)
            precondition(code == 0, "no thread")
            threads.append(thread)
        }
        for thread in threads { pthread_join(thread, nil) }
    }
}

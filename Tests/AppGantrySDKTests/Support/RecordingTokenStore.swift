import AppGantrySDK
import CredentialStorage

/// A token store over memory that notes what it is asked, and fails where it is told to.
final class RecordingTokenStore: AtomicTokenStore {
    struct Broken: Error {}

    private struct State {
        var events: [String] = []
        var broken: Set<String> = []
    }

    private let tokens = InMemoryTokenStore()
    private let state = Locked(State())

    init(_ token: String? = nil) {
        if let token { try? tokens.save(SDKInstallToken(value: token)) }
    }

    var events: [String] { state.withLock { $0.events } }
    func note(_ event: String) { state.withLock { $0.events.append(event) } }
    /// Lets these members fail: `load` and `save`.
    func breaks(_ members: String...) { state.withLock { $0.broken = Set(members) } }

    private func enter(_ member: String, _ detail: String = "") throws {
        try state.withLock { state in
            state.events.append(detail.isEmpty ? member : "\(member) \(detail)")
            if state.broken.contains(member) { throw Broken() }
        }
    }

    func load() throws -> SDKInstallToken? {
        try enter("load")
        return try tokens.load()
    }

    func save(_ token: SDKInstallToken) throws {
        try enter("save", token.value)
        try tokens.save(token)
    }

    func clear() throws {
        try enter("clear")
        try tokens.clear()
    }

    func replace(_ expected: SDKInstallToken?, with new: SDKInstallToken?) throws -> Bool {
        try enter("save", new?.value ?? "nothing")
        return try tokens.replace(expected, with: new)
    }

    nonisolated(nonsending) func withRefreshLock<R>(
        timeout: Duration, _ body: () async throws -> R
    ) async throws -> R {
        try await tokens.withRefreshLock(timeout: timeout, body)
    }
}

/// The same with nothing but the three members that a store must have.
final class PlainTokenStore: TokenStore {
    let recorder: RecordingTokenStore

    init(_ token: String? = nil) { recorder = RecordingTokenStore(token) }

    func load() throws -> SDKInstallToken? { try recorder.load() }
    func save(_ token: SDKInstallToken) throws { try recorder.save(token) }
    func clear() throws { try recorder.clear() }
}

/// Keeps the records of a log.
final class LogRecorder: Sendable {
    private let kept = Locked<[StorageLog.Record]>([])

    var records: [StorageLog.Record] { kept.withLock { $0 } }
    var warnings: [String] { records.filter { $0.level >= .warning }.map(\.message) }

    func log() -> StorageLog {
        StorageLog(minimumLevel: .debug) { [kept] record in kept.withLock { $0.append(record) } }
    }
}

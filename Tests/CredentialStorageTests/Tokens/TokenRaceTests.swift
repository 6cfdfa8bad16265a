import CredentialStorage
import FoundationEssentials
import Testing

/// Gives out tokens, each good for one refresh: what is presented twice is refused.
private final class RotatingServer: Sendable {
    private struct State {
        var current = 1
        var refreshes = 0
        var refusals = 0
    }

    struct InvalidGrant: Error {}

    private let state = Locked(State())

    static func token(_ number: Int) -> SDKInstallToken { SDKInstallToken(value: "t\(number)", installID: "i") }
    var current: SDKInstallToken { state.withLock { Self.token($0.current) } }
    var refreshes: Int { state.withLock { $0.refreshes } }
    var refusals: Int { state.withLock { $0.refusals } }

    func refresh(_ token: SDKInstallToken) throws(InvalidGrant) -> SDKInstallToken {
        try state.withLock { (state: inout State) throws(InvalidGrant) in
            guard token == Self.token(state.current) else {
                state.refusals += 1
                throw InvalidGrant()
            }
            state.current += 1
            state.refreshes += 1
            return Self.token(state.current)
        }
    }
}

@Suite("Many users of one token", .timeLimit(.minutes(2)))
struct TokenRaceTests {
    private static let first = RotatingServer.token(1)

    private static var stores: [any AtomicTokenStore] {
        [
            StorageTokenStore(StorageBuilder.InMemory().build()), InMemoryTokenStore(),
            StorageTokenStore(StorageBuilder.InMemory().build().prefixed("x/").observed { _ in }),
        ]
    }

    @Test("eight find the token expired: one refresh, no refusal, all end with the new token")
    func refreshesOnce() async throws {
        for store in Self.stores {
            let server = RotatingServer()
            try store.save(Self.first)
            let ends = try await withThrowingTaskGroup(of: SDKInstallToken?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await store.withRefreshLock(timeout: .seconds(60)) {
                            let present = try store.load()
                            guard let present, present == Self.first else { return present }
                            await Task.yield()
                            let new = try server.refresh(present)
                            await Task.yield()
                            try store.save(new)
                            return new
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ends == Array(repeating: RotatingServer.token(2), count: 8))
            #expect(server.refreshes == 1)
            #expect(server.refusals == 0)
        }
    }

    @Test("without the lock the losers are refused, and none of them removes the winner's token")
    func loserKeepsTheWinnersToken() throws {
        for round in 0..<60 {
            let store = Self.stores[round % Self.stores.count]
            let server = RotatingServer()
            try store.save(Self.first)
            let failures = Locked(0)
            TokenThreads.run(8) { _ in
                do {
                    do {
                        let new = try server.refresh(Self.first)
                        // A loser may have removed the old token meanwhile; the winner's still has to stand.
                        if try !store.replace(Self.first, with: new) { _ = try store.replace(nil, with: new) }
                    } catch is RotatingServer.InvalidGrant {
                        _ = try store.replace(Self.first, with: nil)
                    }
                } catch {
                    failures.withLock { $0 += 1 }
                }
            }
            #expect(failures.withLock { $0 } == 0)
            #expect(try store.load() == server.current)
            #expect(server.refreshes == 1)
            #expect(server.refusals == 7)
        }
    }

    @Test("a loser that comes late leaves the winner's token alone")
    func lateLoserLeavesTheToken() throws {
        for store in Self.stores {
            try store.save(RotatingServer.token(2))
            #expect(try !store.replace(Self.first, with: nil))
            #expect(try store.load() == RotatingServer.token(2))
            #expect(try !store.replace(Self.first, with: RotatingServer.token(9)))
            #expect(try store.load() == RotatingServer.token(2))
        }
    }

    @Test("eight first starts at the same instant agree on one token")
    func firstStartsAgree() throws {
        for round in 0..<60 {
            let store = Self.stores[round % Self.stores.count]
            let ends = Locked<[SDKInstallToken?]>([])
            TokenThreads.run(8) { index in
                let mine = RotatingServer.token(100 + index)
                let end = try? store.replace(nil, with: mine) ? mine : store.load()
                ends.withLock { $0.append(end) }
            }
            let all = ends.withLock { $0 }
            #expect(all.count == 8)
            let present = try #require(try store.load())
            #expect(all.allSatisfy { $0 == present })
        }
    }

    @Test("a concurrent change of members that this version does not know is not lost")
    func losesNoUnknownMember() throws {
        let storage = StorageBuilder.InMemory().build()
        let store = StorageTokenStore(storage)
        try store.save(Self.first)
        let failures = Locked(0)
        TokenThreads.run(8) { index in
            do {
                for round in 0..<50 {
                    if index < 4 {
                        try store.save(RotatingServer.token(index * 1000 + round))
                    } else {
                        try Self.addMember("m\(index)-\(round)", to: storage)
                    }
                }
            } catch {
                failures.withLock { $0 += 1 }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        let members = try JSONValue(parsing: storage.string(forKey: "install-token") ?? "").object ?? []
        #expect(members.filter { $0.name.hasPrefix("m") }.count == 200)
        #expect(try store.load() != nil)
    }

    /// What a later version does that keeps a member of its own.
    private static func addMember(_ name: String, to storage: InMemoryStorage) throws {
        while true {
            let bytes = try storage.get("install-token") ?? Data()
            var members = try JSONValue(parsing: bytes.span).object ?? []
            members.append(JSONMember(name, .bool(true)))
            var writer = JSONWriter()
            writer.value(.object(members))
            if try storage.compareAndSet("install-token", expected: bytes, new: writer.data) { return }
        }
    }

    @Test("the refresh lock times out with a typed error, lets the body's own error pass, and is free afterwards")
    func refreshLockEnds() async throws {
        for store in Self.stores {
            let error = await #expect(throws: StorageError.self) {
                try await store.withRefreshLock(timeout: .seconds(5)) {
                    try await store.withRefreshLock(timeout: .milliseconds(20)) { Issue.record("held twice") }
                }
            }
            #expect(
                error == .readError(cause: .unavailable(operation: .read, category: .lockTimedOut, code: .none)))
            await #expect(throws: ForeignStorageError.self) {
                try await store.withRefreshLock(timeout: .seconds(5)) { throw ForeignStorageError() }
            }
            let answer = try await store.withRefreshLock(timeout: .seconds(5)) { 7 }
            #expect(answer == 7)
        }
    }

    @Test("a cancelled wait for the refresh lock ends as cancelled")
    func refreshLockObeysCancellation() async throws {
        let store = InMemoryTokenStore()
        try await store.withRefreshLock(timeout: .seconds(5)) {
            let waiting = Task {
                try await store.withRefreshLock(timeout: .seconds(60)) { Issue.record("held twice") }
            }
            waiting.cancel()
            let error = await #expect(throws: StorageError.self) { try await waiting.value }
            #expect(error?.category == .cancelled)
        }
    }

    @Test("locks of two tokens in one store do not meet, and an entry of the lock's name is untouched")
    func locksAreApart() async throws {
        let storage = StorageBuilder.InMemory().build()
        let (one, two) = (StorageTokenStore(storage), StorageTokenStore(storage, key: "other"))
        try one.save(Self.first)
        let answer = try await one.withRefreshLock(timeout: .seconds(5)) {
            try await two.withRefreshLock(timeout: .seconds(5)) { try await storage.keys() }
        }
        #expect(answer == ["install-token"])
    }
}

internal import CredentialStorage
internal import FoundationEssentials

extension TokenRules {
    private static let first = SDKInstallToken(value: "first", expiresAt: date(1_900_000_000.5), installID: "install")
    private static let second = SDKInstallToken(value: "second")

    static let replacing: [AtomicRule] = [
        AtomicRule("replace creates a token only where none is") { context in
            let store = context.store
            try require(store.replace(nil, with: first), "a token could not be created in an empty store")
            try requireToken(first, in: store, "after it was created")
            try require(!store.replace(nil, with: second), "a present token was created again")
            try requireToken(first, in: store, "after a creation that found it")
        },
        AtomicRule("replace changes a token only if it is the expected one, in all its parts") { context in
            let store = context.store
            try store.save(first)
            let wrong = [
                second, SDKInstallToken(value: "first"),
                SDKInstallToken(value: "first", expiresAt: first.expiresAt),
                SDKInstallToken(value: "first", expiresAt: first.expiresAt, installID: "other"),
                SDKInstallToken(value: "first", expiresAt: date(1_900_000_001), installID: "install"),
                SDKInstallToken(value: "First", expiresAt: first.expiresAt, installID: "install"),
            ]
            for token in wrong { try require(!store.replace(token, with: second), "a wrong expectation was taken") }
            try requireToken(first, in: store, "after wrong expectations")
            try require(store.replace(first, with: second), "the right token was not recognised")
            try requireToken(second, in: store, "after it replaced another")
        },
        AtomicRule("a program whose token was refused does not remove the fresh one of another") { context in
            let store = context.store
            try store.save(second)
            try require(!store.replace(first, with: nil), "a refused token removed the fresh one")
            try requireToken(second, in: store, "after another token was refused")
            try require(store.replace(second, with: nil), "the present token could not be removed")
            try requireToken(nil, in: store, "after it was removed")
            try require(!store.replace(second, with: nil), "an absent token was removed")
            try require(store.replace(nil, with: nil), "none to none answered false")
        },
        AtomicRule("of eight threads that create the token exactly one succeeds") { context in
            let store = context.store
            let wins = Locked<[Int]>([])
            try onThreads(8) { index in
                if try store.replace(nil, with: SDKInstallToken(value: "\(index)")) {
                    wins.withLock { $0.append(index) }
                }
            }
            let winners = wins.withLock { $0 }
            try require(winners.count == 1, "\(winners.count) threads created the token")
            try requireToken(SDKInstallToken(value: "\(winners[0])"), in: store, "after a race to create it")
        },
    ]

    static let refreshing: [AtomicRule] = [
        AtomicRule(async: "tasks that find the token expired refresh it once") { context in
            let store = context.store
            try store.save(first)
            let refreshes = Locked(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await store.withRefreshLock(timeout: .seconds(60)) {
                            guard try store.load() == first else { return }
                            await Task.yield()
                            refreshes.withLock { $0 += 1 }
                            try store.save(second)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = refreshes.withLock { $0 }
            try require(count == 1, "the token was refreshed \(count) times")
            try requireToken(second, in: store, "after the refresh")
        },
        AtomicRule(async: "the refresh lock returns, passes errors on, times out, and is free afterwards") { context in
            let store = context.store
            let number = try await store.withRefreshLock(timeout: .seconds(60)) {
                await Task.yield()
                do {
                    try await store.withRefreshLock(timeout: .milliseconds(20)) {}
                } catch {
                    return 7
                }
                throw ContractViolation("a second holder got the refresh lock")
            }
            try require(number == 7, "withRefreshLock lost the result of its body")
            do {
                try await store.withRefreshLock(timeout: .seconds(60)) { throw Passing(number: 1) }
                throw ContractViolation("withRefreshLock swallowed the body's own error")
            } catch let error as Passing {
                try require(error == Passing(number: 1), "withRefreshLock changed the body's own error")
            }
            try await store.withRefreshLock(timeout: .zero) {}
        },
        AtomicRule(async: "a cancelled task that waits for the refresh lock ends promptly") { context in
            let store = context.store
            try await store.withRefreshLock(timeout: .seconds(60)) {
                let waiting = Task { try await store.withRefreshLock(timeout: .seconds(3_600)) {} }
                for _ in 0..<100 { await Task.yield() }
                waiting.cancel()
                if case .success = await waiting.result { throw ContractViolation("a cancelled wait got the lock") }
            }
            try await store.withRefreshLock(timeout: .zero) {}
        },
    ]
}

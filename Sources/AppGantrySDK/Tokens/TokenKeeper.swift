internal import CredentialStorage

/// What can be asked of the server about tokens.
protocol TokenIssuer: Sendable {
    func enroll() async -> Result<SDKInstallToken, SDKError>
    func renew(_ token: SDKInstallToken) async -> Result<SDKInstallToken, SDKError>
}

/// Why a request failed, and whether it was because of its token.
struct RequestFailure: Error, Sendable {
    var error: SDKError
    /// Whether the server was shown the token and answered 401.
    var refusesToken = false
}

/// Does what the ``TokenLifecycle`` says: the only place that reads, changes or obtains the token.
final class TokenKeeper: Sendable {
    /// A token that the store did not take; it serves this process.
    private struct Unsaved {
        let token: SDKInstallToken
        let expected: SDKInstallToken?
        var nextTry: ContinuousClock.Instant
    }

    let place: TokenPlace
    let flights = TokenFlights()
    private let issuer: any TokenIssuer
    private let log: StorageLog
    private let now: @Sendable () -> ContinuousClock.Instant
    private let unsaved = Locked<Unsaved?>(nil)
    private let warned = Locked<(unsaved: Bool, memory: Bool)>((false, false))

    /// How long a store that refused a token is left alone.
    static let pauseOfStore = Duration.seconds(10)

    init(
        _ place: TokenPlace, _ issuer: any TokenIssuer, log: StorageLog,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.place = place
        self.issuer = issuer
        self.log = log
        self.now = now
        if !place.isAtomic {
            log.warning("the token store is not atomic: two processes at once may both enrol")
        }
        // An automatic store says so when it has chosen: to ask it here would be to look at the disk.
        if place.store is InMemoryTokenStore { warnAboutMemory() }
    }

    /// Makes a request with the installation's token.
    func call<R>(_ request: (SDKInstallToken) async throws(RequestFailure) -> R) async throws(SDKError) -> R {
        var life = TokenLifecycle(.call)
        var step = life.first
        var answer: R?
        while true {
            switch step {
            case .read: step = life.handle(.read(await read()))
            case .request(let token):
                do throws(RequestFailure) {
                    answer = try await request(token)
                    step = life.handle(.answered)
                } catch {
                    step = life.handle(error.refusesToken ? .refused(error.error) : .failed(error.error))
                }
            case .change(let goal): step = life.handle(.changed(await change(goal)))
            case .fail(let error): throw error
            default:
                guard case .answer = step, let answer else { preconditionFailure("a step that is not a call's") }
                return answer
            }
        }
    }

    /// Has the token changed, once for all who want it.
    func change(_ goal: TokenLifecycle.Goal) async -> Result<SDKInstallToken, SDKError> {
        await flights.fly(goal) { goal in
            await self.place.exclusively { await self.perform(goal) }
        }
    }

    private func perform(_ goal: TokenLifecycle.Goal) async -> Result<SDKInstallToken, SDKError> {
        var goal = goal
        if case .failure(let error) = await rescue() {
            // The token to renew is one that the store does not know: what it holds is older.
            if goal == .renewal { return .failure(error) }
            goal = goal.knowing(unsaved.withLock { $0?.expected })
        }
        var life = TokenLifecycle(goal)
        var step = life.first
        while true {
            switch step {
            case .read: step = life.handle(.read(await place.load()))
            case .enrol:
                log.debug("the installation enrols")
                step = life.handle(.obtained(await issuer.enroll()))
            case .renew(let token): step = life.handle(.obtained(await issuer.renew(token)))
            case .save(let new, let expected):
                step = life.handle(.saved(await place.save(new, over: expected)))
            case .keep(let token, let expected, let error):
                keep(token, over: expected)
                return .failure(error)
            case .end(let token):
                unsaved.withLock { $0 = nil }
                if place.store.backend == .memory { warnAboutMemory() }
                return .success(token)
            case .fail(let error): return .failure(error)
            case .request, .change, .answer: preconditionFailure("a step that is not a change's")
            }
        }
    }

    /// The token that calls use: the stored one, or for now the one that the store did not take.
    private func read() async -> Result<SDKInstallToken?, SDKError> {
        if let held = unsaved.withLock({ $0 }) {
            if now() < held.nextTry { return .success(held.token) }
            if case .failure = await rescue() { return .success(held.token) }
        }
        return await place.load()
    }

    /// Tries again to store what the store did not take; whoever stored another token meanwhile was right.
    private func rescue() async -> Result<Void, SDKError> {
        guard let held = unsaved.withLock({ $0 }) else { return .success(()) }
        switch await place.save(held.token, over: held.expected) {
        case .success:
            unsaved.withLock { if $0?.token == held.token { $0 = nil } }
            return .success(())
        case .failure(let error):
            let nextTry = now() + Self.pauseOfStore
            unsaved.withLock { $0?.nextTry = nextTry }
            return .failure(error)
        }
    }

    private func keep(_ token: SDKInstallToken, over expected: SDKInstallToken?) {
        let nextTry = now() + Self.pauseOfStore
        unsaved.withLock { $0 = Unsaved(token: token, expected: expected, nextTry: nextTry) }
        let isFirst = warned.withLock { warned in
            defer { warned.unsaved = true }
            return !warned.unsaved
        }
        if isFirst { log.warning("the new token could not be stored; this process keeps it, and goes on with it") }
    }

    private func warnAboutMemory() {
        let isFirst = warned.withLock { warned in
            defer { warned.memory = true }
            return !warned.memory
        }
        if isFirst { log.warning("the token is kept in memory only, and ends with this process") }
    }
}

extension TokenLifecycle.Goal {
    /// The same goal where one more token is known to be no good.
    fileprivate func knowing(_ old: SDKInstallToken?) -> TokenLifecycle.Goal {
        guard let old, case .replacement(let refused) = self else { return self }
        return .replacement(refused + [old])
    }
}

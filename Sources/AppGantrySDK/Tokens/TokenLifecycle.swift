internal import CredentialStorage

/// The life of the installation's token, as one value: what happened goes in, what is to be done comes out.
///
/// It does nothing itself and waits for nothing. Each call of the client drives one from ``Goal/call``. What changes
/// the token is done once for all calls that want it, by a second value that begins with the lock held:
///
///     call:    reading ─ token ────────────────────────→ calling ─ answered ─→ ended
///                 └ none ─→ waiting ─ token ─→ calling      └ 401, the first ─→ waiting
///     change:  deciding ─ somebody has done it ─→ ended
///                 ├ none, or the refused one ─→ enrolling ─┐
///                 └ a renewal is wanted ─→ renewing ───────┴→ saving ─→ ended
///                                                               └ overtaken ─→ deciding again, without the network
///
/// Three rules hold in every path. A call waits for a change at most once, so that a second 401 ends it. An enrolment's
/// own 401 is the end of a change. A failure of the store is the end of everything, and never "no token".
struct TokenLifecycle: Sendable {
    /// What a value is made for.
    enum Goal: Sendable, Equatable {
        /// Make one request with a token.
        case call
        /// Have a token that is none of these, which were refused; an empty list asks for any token.
        case replacement([SDKInstallToken])
        /// Have a token that is newly enrolled.
        case enrolment
        /// Have a token that is newer than the present one.
        case renewal
    }

    /// What is to be done next.
    enum Step: Sendable, Equatable {
        /// Read the token; answer with ``Event/read(_:)``.
        case read
        /// Make the request; answer with ``Event/answered`` or ``Event/refused(_:)``.
        case request(SDKInstallToken)
        /// Have the token changed, or wait for a change that is under way; answer with ``Event/changed(_:)``.
        case change(Goal)
        /// Enrol; answer with ``Event/obtained(_:)``.
        case enrol
        /// Renew this token; answer with ``Event/obtained(_:)``.
        case renew(SDKInstallToken)
        /// Put the token where the expected one is; answer with ``Event/saved(_:)``.
        case save(SDKInstallToken, over: SDKInstallToken?)
        /// Keep a token for this process that the store did not take, and fail with the store's error.
        case keep(SDKInstallToken, over: SDKInstallToken?, SDKError)
        /// The change is done.
        case end(SDKInstallToken)
        /// The call is done.
        case answer
        case fail(SDKError)
    }

    /// What happened.
    enum Event: Sendable {
        case read(Result<SDKInstallToken?, SDKError>)
        case answered
        case refused(SDKError)
        case failed(SDKError)
        case changed(Result<SDKInstallToken, SDKError>)
        case obtained(Result<SDKInstallToken, SDKError>)
        /// Whether the expected token was still there.
        case saved(Result<Bool, SDKError>)
    }

    private enum State: Sendable {
        case reading
        case calling(SDKInstallToken, mayChange: Bool)
        case waiting
        case deciding
        case obtaining(over: SDKInstallToken?)
        case saving(SDKInstallToken, over: SDKInstallToken?)
        /// Somebody who does not use the lock was faster: look what is there now.
        case overtaken(SDKInstallToken)
        case ended
    }

    let goal: Goal
    private var state: State

    init(_ goal: Goal) {
        self.goal = goal
        state = goal == .call ? .reading : .deciding
    }

    /// The first step; both a call and a change begin with a look.
    var first: Step { .read }

    /// Takes in what happened, and says what to do.
    mutating func handle(_ event: Event) -> Step {
        switch (state, event) {
        case (.reading, .read(.success(let token?))): return request(with: token, mayChange: true)
        case (.reading, .read(.success(nil))): return wait(for: .replacement([]))
        case (.calling, .answered): return end(.answer)
        case (.calling(let token, mayChange: true), .refused): return wait(for: .replacement([token]))
        case (.calling, .refused(let error)): return end(.fail(error))
        case (.waiting, .changed(.success(let token))): return request(with: token, mayChange: false)

        case (.deciding, .read(.success(let present))): return decide(present)
        case (.obtaining(let present), .obtained(.success(let new))): return save(new, over: present)
        case (.saving(let new, _), .saved(.success(true))): return end(.end(new))
        case (.saving(let new, _), .saved(.success(false))):
            state = .overtaken(new)
            return .read
        case (.saving(let new, let present), .saved(.failure(let error))):
            return end(.keep(new, over: present, error))
        case (.overtaken(let new), .read(.success(let present))):
            guard let present else { return save(new, over: nil) }
            // Theirs is at least as new, and others may use it already: whoever comes second takes nothing away.
            return end(.end(present))
        case (.overtaken(let new), .read(.failure(let error))): return end(.keep(new, over: nil, error))

        case (_, .read(.failure(let error))), (_, .changed(.failure(let error))), (_, .obtained(.failure(let error))),
            (_, .failed(let error)):
            return end(.fail(error))
        default: preconditionFailure("an event that no step asked for")
        }
    }

    private mutating func request(with token: SDKInstallToken, mayChange: Bool) -> Step {
        state = .calling(token, mayChange: mayChange)
        return .request(token)
    }

    private mutating func wait(for goal: Goal) -> Step {
        state = .waiting
        return .change(goal)
    }

    private mutating func decide(_ present: SDKInstallToken?) -> Step {
        switch goal {
        case .call: preconditionFailure("a call changes no token")
        case .replacement(let refused):
            if let present, !refused.contains(present) { return end(.end(present)) }
            state = .obtaining(over: present)
            return .enrol
        case .enrolment:
            state = .obtaining(over: present)
            return .enrol
        case .renewal:
            guard let present else { return end(.fail(.notEnrolled)) }
            state = .obtaining(over: present)
            return .renew(present)
        }
    }

    private mutating func save(_ new: SDKInstallToken, over present: SDKInstallToken?) -> Step {
        state = .saving(new, over: present)
        return .save(new, over: present)
    }

    private mutating func end(_ step: Step) -> Step {
        state = .ended
        return step
    }
}

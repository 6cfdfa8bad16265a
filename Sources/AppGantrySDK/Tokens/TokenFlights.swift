internal import CredentialStorage

/// One change of the token at a time in this process, and one outcome for all calls that it serves.
///
/// A change runs in a task of its own: whoever is cancelled stops waiting, and takes nothing from the others.
final class TokenFlights: Sendable {
    typealias Outcome = Result<SDKInstallToken, SDKError>

    private struct Waiter {
        let seat: Seat
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Where an outcome is put for one who waits.
    ///
    /// Not handed over by the continuation: the thread sanitizer does not see the order in that.
    private final class Seat: Sendable {
        let landed = Locked<(goal: TokenLifecycle.Goal, outcome: Outcome)?>(nil)
    }

    private struct State {
        var goal: TokenLifecycle.Goal?
        var waiters: [Waiter] = []
    }

    private let state = Locked(State())

    /// Has a change made, or waits for one that is under way and does as well.
    func fly(
        _ goal: TokenLifecycle.Goal,
        _ change: @escaping @Sendable (TokenLifecycle.Goal) async -> Outcome
    ) async -> Outcome {
        if Task.isCancelled { return .failure(.transport(Phrase.cancelled)) }
        var isAgain = false
        while true {
            let (isOwn, flown, outcome) = await board(goal, change)
            if isOwn || Task.isCancelled || goal.isServed(by: flown, outcome, isAgain: isAgain) { return outcome }
            isAgain = true
        }
    }

    /// How many wait for the change that is under way.
    var waiting: Int { state.withLock { $0.waiters.count } }

    private func board(
        _ goal: TokenLifecycle.Goal,
        _ change: @escaping @Sendable (TokenLifecycle.Goal) async -> Outcome
    ) async -> (isOwn: Bool, TokenLifecycle.Goal, Outcome) {
        let seat = Seat()
        let isOwn = Locked(false)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let begins = state.withLock { state in
                    state.waiters.append(Waiter(seat: seat, continuation: continuation))
                    guard state.goal == nil else { return false }
                    state.goal = goal
                    return true
                }
                if begins {
                    isOwn.withLock { $0 = true }
                    Task.detached { self.land(goal, await change(goal)) }
                }
                // A cancellation from before the seat was taken found nobody to send home.
                if Task.isCancelled { leave(seat, goal) }
            }
        } onCancel: {
            leave(seat, goal)
        }
        guard let (flown, outcome) = seat.landed.withLock({ $0 }) else { preconditionFailure("woken for nothing") }
        return (isOwn.withLock { $0 }, flown, outcome)
    }

    private func land(_ goal: TokenLifecycle.Goal, _ outcome: Outcome) {
        let waiters = state.withLock { state in
            defer { state = State() }
            return state.waiters
        }
        for waiter in waiters { wake(waiter, goal, outcome) }
    }

    private func leave(_ seat: Seat, _ goal: TokenLifecycle.Goal) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.waiters.firstIndex(where: { $0.seat === seat }) else { return nil }
            return state.waiters.remove(at: place)
        }
        if let waiter { wake(waiter, goal, .failure(.transport(Phrase.cancelled))) }
    }

    private func wake(_ waiter: Waiter, _ goal: TokenLifecycle.Goal, _ outcome: Outcome) {
        waiter.seat.landed.withLock { $0 = (goal, outcome) }
        waiter.continuation.resume()
    }
}

extension TokenLifecycle.Goal {
    /// Whether the outcome of somebody else's change is what this goal asked for.
    fileprivate func isServed(
        by other: TokenLifecycle.Goal, _ outcome: TokenFlights.Outcome, isAgain: Bool
    ) -> Bool {
        switch (self, outcome) {
        case (.replacement(let refused), .success(let token)): !refused.contains(token) || isAgain
        // A renewal that failed says nothing about an enrolment.
        case (.replacement, .failure): other != .renewal
        default: self == other
        }
    }
}

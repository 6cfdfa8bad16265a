internal import CredentialStorage
internal import Glibc

/// One write that waits for its turn.
final class WriteTicket: @unchecked Sendable {
    // Unchecked: `result` is written and read under the queue's lock only.
    let request: WriteRequest
    fileprivate(set) var result: Result<Bool, StorageFault>?

    init(_ request: WriteRequest) { self.request = request }
}

/// What is to be written.
enum WriteRequest: Sendable {
    case set(EntryKey, Plaintext)
    case delete(EntryKey)
    case compareAndSet(EntryKey, expected: SharedSecret?, new: Plaintext?)
    case deleteAll
    /// Runs alone and does its own work: a transaction's body, or opening the vault.
    case alone

    var isAlone: Bool { if case .alone = self { true } else { false } }
}

/// Group commit: of all threads that want to write, one leads, and writes for all that wait, under one sync.
///
/// Only the order of turns is decided here; nothing is written. Whoever leads also excludes every other thread of
/// this process from the vault's lock, so no two threads ever wait for each other through the kernel.
final class CommitQueue: Sendable {
    private struct State {
        var waiting: [WriteTicket] = []
        var leader: pthread_t?
        /// How many of those at the front the leader writes for.
        var taken = 0
    }

    private let state = Locked(State())

    /// The most writes that one sync carries.
    private static let largestGroup = 1024

    private enum Turn {
        case done(Result<Bool, StorageFault>)
        case lead([WriteTicket])
    }

    /// Waits for this write to be done, or for the turn to do it.
    ///
    /// `lead` writes for the group that it gets, this ticket first, and says how each one ended.
    func perform(
        _ ticket: WriteTicket,
        lead: ([WriteTicket]) -> [Result<Bool, StorageFault>]
    ) throws(StorageFault) -> Bool {
        try join(ticket)
        switch try wait(for: ticket) {
        case .done(let result): return try result.get()
        case .lead(let group):
            let results = lead(group)
            finish(group, results)
            return try results[0].get()
        }
    }

    /// Waits for the turn and runs a body alone.
    func alone<R>(_ body: () throws(StorageFault) -> R) throws(StorageFault) -> R {
        let ticket = WriteTicket(.alone)
        try join(ticket)
        guard case .lead(let group) = try wait(for: ticket) else { preconditionFailure("nobody leads for this one") }
        defer { finish(group, [.success(true)]) }
        return try body()
    }

    /// Whether this thread leads now.
    var isLeading: Bool {
        let me = pthread_self()
        return state.withLock { state in state.leader.map { pthread_equal($0, me) != 0 } ?? false }
    }

    private func join(_ ticket: WriteTicket) throws(StorageFault) {
        let me = pthread_self()
        try state.withLock { (state: inout State) throws(StorageFault) in
            // A transaction's body that writes to its own store would wait for itself.
            if let leader = state.leader, pthread_equal(leader, me) != 0 { throw .conflict }
            state.waiting.append(ticket)
        }
    }

    private func wait(for ticket: WriteTicket) throws(StorageFault) -> Turn {
        let cancellation = StorageCancellation.current
        let waking = cancellation?.onCancel { [state] in state.wake() }
        defer { waking?.cancel() }
        let me = pthread_self()
        let turn = try state.wait(until: nil) { (state: inout State) throws(StorageFault) -> Turn? in
            if let result = ticket.result { return .done(result) }
            if state.leader == nil, state.waiting.first === ticket {
                state.leader = me
                let group =
                    ticket.request.isAlone
                    ? [ticket] : Array(state.waiting.prefix { !$0.request.isAlone }.prefix(Self.largestGroup))
                state.taken = group.count
                return .lead(group)
            }
            // Once a leader has taken it, it will be done; before that it can still be taken back.
            if let cancellation, cancellation.isCancelled,
                let place = state.waiting.firstIndex(where: { $0 === ticket }), place >= state.taken
            {
                state.waiting.remove(at: place)
                throw .unavailable(.cancelled)
            }
            return nil
        }
        guard let turn else { preconditionFailure("a wait without a deadline ends with an answer") }
        return turn
    }

    private func finish(_ group: [WriteTicket], _ results: [Result<Bool, StorageFault>]) {
        state.notify { state in
            state.waiting.removeFirst(group.count)
            for (ticket, result) in zip(group, results) { ticket.result = result }
            state.leader = nil
            state.taken = 0
        }
    }
}

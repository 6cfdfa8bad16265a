internal import CCredentialShims
internal import CredentialStorage
internal import Dispatch
internal import Glibc

/// Ends the waiting of a prompt from anywhere.
final class PromptWake: Sendable {
    /// What a prompt polls, and what signal handlers write to; -1 where there are no descriptors left.
    let readEnd: Int32
    let writeEnd: Int32
    private let cancelled = Locked(false)

    init() {
        var ends: (Int32, Int32) = (-1, -1)
        let made = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe ccs_wake_pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress!) == 0
        }
        readEnd = made ? ends.0 : -1
        writeEnd = made ? ends.1 : -1
    }

    deinit {
        guard readEnd >= 0 else { return }
        close(readEnd)
        close(writeEnd)
    }

    var isCancelled: Bool { cancelled.withLock { $0 } }

    func cancel() {
        cancelled.withLock { $0 = true }
        _ = unsafe write(writeEnd, "", 1)
    }

    func drain() {
        var bytes: (UInt64, UInt64) = (0, 0)
        while unsafe read(readEnd, &bytes, MemoryLayout.size(ofValue: bytes)) > 0 {}
    }
}

/// One presentation, run on a thread of its own because it waits for a person.
final class PromptRun: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<UpdatePromptView.Outcome, Never>)
        case asking(CheckedContinuation<UpdatePromptView.Outcome, Never>)
        case done
    }

    /// A process has one terminal, and its questions come one after the other.
    private static let questions = DispatchQueue(label: "app-gantry.prompt")

    private let content: UpdatePromptContent
    private let terminal: UpdatePromptView.Terminal
    private let environment: Environment
    private let wake = PromptWake()
    private let state = Locked(State.new)

    init(content: UpdatePromptContent, terminal: UpdatePromptView.Terminal, environment: Environment = .process) {
        self.content = content
        self.terminal = terminal
        self.environment = environment
    }

    nonisolated(nonsending) func outcome() async -> UpdatePromptView.Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0 = .waiting(continuation) }
                if wake.isCancelled { return stopWaiting() }
                let asks = terminal.canAsk
                let queue = asks ? Self.questions : DispatchQueue(label: "app-gantry.print")
                queue.async { self.run(asks: asks) }
            }
        } onCancel: {
            wake.cancel()
            stopWaiting()
        }
    }

    private func run(asks: Bool) {
        let continuation = state.withLock { state -> CheckedContinuation<UpdatePromptView.Outcome, Never>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .asking(continuation)
            return continuation
        }
        guard let continuation else { return }
        let session = PromptSession(content: content, terminal: terminal, wake: wake, environment: environment)
        let outcome = asks ? session.run() : session.print()
        state.withLock { $0 = .done }
        continuation.resume(returning: outcome)
    }

    /// Whose turn has not come is not asked at all.
    private func stopWaiting() {
        let continuation = state.withLock { state -> CheckedContinuation<UpdatePromptView.Outcome, Never>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .done
            return continuation
        }
        continuation?.resume(returning: .undecided)
    }
}

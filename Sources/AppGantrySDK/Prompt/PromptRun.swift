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
    private let wake = PromptWake()
    private let state = Locked(State.new)

    init(content: UpdatePromptContent, terminal: UpdatePromptView.Terminal) {
        self.content = content
        self.terminal = terminal
    }

    nonisolated(nonsending) func outcome() async -> UpdatePromptView.Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0 = .waiting(continuation) }
                if wake.isCancelled { return stopWaiting() }
                let queue = terminal.canAsk ? Self.questions : DispatchQueue(label: "app-gantry.print")
                queue.async { self.run() }
            }
        } onCancel: {
            wake.cancel()
            stopWaiting()
        }
    }

    private func run() {
        let continuation = state.withLock { state -> CheckedContinuation<UpdatePromptView.Outcome, Never>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .asking(continuation)
            return continuation
        }
        guard let continuation else { return }
        let outcome = PromptSession(content: content, terminal: terminal, wake: wake).run()
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

/// A prompt on a terminal that offers an update.
///
/// ```swift
/// let view = UpdatePromptView(content: content, onInstall: { install() }, onLater: { remindTomorrow() })
/// await view.present()
/// ```
///
/// To make a view does nothing. ``present(on:)`` shows it, waits for an answer and calls one closure or none, on the
/// caller's actor. Enter or `i` installs; `l`, Ctrl-C and Ctrl-D put it off. A mandatory update offers only to install:
/// the first Ctrl-C says so, a second one right after it goes to the program as the signal that it otherwise is, and
/// neither counts as an answer.
public struct UpdatePromptView {
    /// How a presentation ended.
    public enum Outcome: Sendable, Hashable {
        /// The person wants the update, and `onInstall` was called.
        case install
        /// The person put it off, and `onLater` was called if there is one. Never for a mandatory update.
        case later
        /// Nobody answered: there is no terminal or it is gone, the task was cancelled, or there is no update.
        case undecided
    }

    private let content: UpdatePromptContent
    private let onInstall: () -> Void
    private let onLater: (() -> Void)?

    /// Makes a prompt, and shows nothing yet.
    ///
    /// - Parameters:
    ///   - content: What it says.
    ///   - onInstall: Called once when the person wants the update.
    ///   - onLater: Called once when the person puts it off; never for a mandatory update.
    @discardableResult
    public init(
        content: UpdatePromptContent,
        onInstall: @escaping () -> Void,
        onLater: (() -> Void)? = nil
    ) {
        self.content = content
        self.onInstall = onInstall
        self.onLater = onLater
    }

    /// Shows the prompt and waits for the answer.
    ///
    /// It takes the whole screen, and gives back the screen and the terminal's modes on every way out, also when a signal
    /// ends or stops the process. Where the input or the output is no terminal, or this process runs in the background, it
    /// prints the content once and returns `.undecided`. Prompts of one process come one after the other. Cancellation of the task ends it with `.undecided`.
    ///
    /// - Parameter terminal: Where to ask.
    /// - Returns: How it ended.
    @discardableResult
    nonisolated(nonsending) public func present(on terminal: Terminal = .standard) async -> Outcome {
        guard content.isAvailable else { return .undecided }
        let outcome = await PromptRun(content: content, terminal: terminal).outcome()
        switch outcome {
        case .install: onInstall()
        case .later: onLater?()
        case .undecided: break
        }
        return outcome
    }
}

internal import CCredentialShims
internal import CredentialStorage
internal import Glibc

/// A prompt on one terminal, from taking it to giving it back.
final class PromptSession {
    private let terminal: UpdatePromptView.Terminal
    private let wake: PromptWake
    private var output: PromptOutput
    private var screen: PromptScreen
    private var machine: PromptMachine
    private var parser = PromptKeyParser()
    private var detection: IconDetection
    private var size: TerminalSize
    private var isBehind = false

    init(
        content: UpdatePromptContent,
        terminal: UpdatePromptView.Terminal,
        wake: PromptWake,
        environment: Environment
    ) {
        self.terminal = terminal
        self.wake = wake
        output = PromptOutput(terminal.output, wake: wake)
        let kind = environment["TERM"] ?? "dumb"
        screen = PromptScreen(content: content, isAddressable: kind != "dumb")
        machine = PromptMachine(isMandatory: content.isMandatory)
        detection = IconDetection(content.iconData, environment)
        size = terminal.size
    }

    func run() -> UpdatePromptView.Outcome {
        if wake.isCancelled { return .undecided }
        // Where descriptors have run out: without a way to be woken it could not be cancelled, nor told of a signal.
        guard terminal.canAsk, wake.readEnd >= 0, output.openTerminal() else { return print() }
        let leave = screen.isAddressable ? detection.cleanup + PromptScreen.giveBack : ""
        guard unsafe ccs_terminal_take(terminal.input, output.descriptor, wake.writeEnd, leave) == 0 else {
            return print()
        }
        output.isTaken = true
        enter(isFirst: true)
        let outcome = ask()
        giveBack()
        ccs_terminal_release()
        return outcome
    }

    /// Writes the content once, and asks nothing.
    func print() -> UpdatePromptView.Outcome {
        if terminal.output == STDOUT_FILENO { ccs_flush_standard_output() }
        let columns = isatty(terminal.output) == 1 ? size.columns : 80
        output.put(screen.printed(columns: columns, isAsking: false))
        return .undecided
    }

    private func enter(isFirst: Bool) {
        guard ccs_terminal_is_foreground(terminal.input) == 1 else { return }
        // A signal that is giving the terminal back wakes this again, if the process goes on.
        guard ccs_terminal_enter(isFirst ? 1 : 0, screen.isAddressable ? 1 : 0) == 0 else { return }
        if isFirst { output.put(screen.isAddressable ? [] : screen.printed(columns: size.columns, isAsking: true)) }
        guard screen.isAddressable else { return }
        output.put(Array(PromptScreen.take.utf8))
        draw()
        guard isFirst, let question = detection.question else { return }
        ccs_terminal_answer_expected(1)
        output.put(Array(question.utf8))
    }

    private func draw() {
        guard screen.isAddressable else {
            if machine.isRefusing { output.put(screen.refusal(machine)) }
            return
        }
        size = terminal.size
        output.put(screen.draw(&machine, on: size))
    }

    private func giveBack() {
        if detection.isWaiting { awaitAnswer() }
        if !detection.isWaiting { ccs_terminal_answer_expected(0) }
        output.finish(screen.isAddressable ? Array((detection.cleanup + PromptScreen.giveBack).utf8) : [])
        ccs_terminal_leave()
    }

    private func ask() -> UpdatePromptView.Outcome {
        while true {
            switch next(patience: parser.isInside ? (detection.isWaiting ? 1000 : 100) : -1) {
            case .silence: parser.giveUp()
            case .closed: return .undecided
            case .woken:
                if wake.isCancelled { return .undecided }
                enter(isFirst: false)
            case .byte(let byte):
                if let key = parser.take(byte), let outcome = take(key) { return outcome }
            }
        }
    }

    private func take(_ key: PromptKey) -> UpdatePromptView.Outcome? {
        if let icon = detection.take(key) {
            ccs_terminal_answer_expected(0)
            if let icon {
                output.put(icon.prepared)
                screen.icon = icon
                draw()
            }
        }
        switch machine.take(key) {
        case .nothing: break
        case .redraw: draw()
        case .end(let outcome): return outcome
        case .signal(let signal): pass(on: signal)
        }
        return nil
    }

    /// The signal finds the terminal as it was.
    private func pass(on signal: PromptMachine.Signal) {
        output.finish(screen.isAddressable ? Array(PromptScreen.giveBack.utf8) : [])
        ccs_terminal_leave()
        switch signal {
        case .interrupt: _ = ccs_signal_self(SIGINT)
        case .quit: _ = ccs_signal_self(SIGQUIT)
        case .suspend: _ = ccs_signal_self(SIGTSTP)
        }
        // A process that goes on tells so by its handler; one that ignores the signal does not.
        if case .woken = next(patience: 200, keys: false), wake.isCancelled { return }
        enter(isFirst: false)
    }

    /// The terminal's answer must not be left for whoever reads next.
    private func awaitAnswer() {
        let end = ContinuousClock.now + .milliseconds(300)
        while detection.isWaiting, ContinuousClock.now < end {
            switch next(patience: 100) {
            case .byte(let byte): if let key = parser.take(byte) { _ = detection.take(key) }
            case .closed: return
            case .silence: if !detection.isRecent { return }
            case .woken: continue
            }
        }
    }

    private enum Event {
        case byte(UInt8)
        case woken
        case silence
        case closed
    }

    private func next(patience: Int32, keys: Bool = true) -> Event {
        while true {
            // From the background a read would stop the process.
            let isInFront = ccs_terminal_is_foreground(terminal.input) == 1
            if isInFront, isBehind {
                // A shell tells nothing to a job that it brings forward while it runs.
                isBehind = false
                return .woken
            }
            isBehind = !isInFront
            let listens = keys && isInFront
            var waiting = (
                pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listens ? terminal.input : -1, events: Int16(POLLIN), revents: 0)
            )
            let count = unsafe withUnsafeMutableBytes(of: &waiting) { bytes in
                unsafe poll(
                    bytes.assumingMemoryBound(to: pollfd.self).baseAddress!, 2, keys && !listens ? 500 : patience)
            }
            if count < 0, errno != EINTR { return .closed }
            if count < 0 || (count == 0 && keys && !listens) { continue }
            if count == 0 { return .silence }
            if waiting.0.revents != 0 {
                wake.drain()
                return .woken
            }
            var byte: UInt8 = 0
            let length = unsafe read(terminal.input, &byte, 1)
            if length == 1 { return .byte(byte) }
            if length < 0, errno == EINTR || errno == EAGAIN { continue }
            return .closed
        }
    }
}

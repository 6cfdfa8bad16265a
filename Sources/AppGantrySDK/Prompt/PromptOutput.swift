internal import CCredentialShims
internal import Glibc

/// Writes to a terminal or to what is none, and is never held up for good by either.
final class PromptOutput {
    private(set) var descriptor: Int32
    private let wake: PromptWake
    private var isOwn = false
    /// Whether writes must keep out of the way of signals that give the terminal back.
    var isTaken = false

    init(_ descriptor: Int32, wake: PromptWake) {
        self.descriptor = descriptor
        self.wake = wake
    }

    deinit { if isOwn { close(descriptor) } }

    /// Opens the terminal anew, so that a write to it never blocks and others that share the descriptor notice nothing.
    ///
    /// A terminal that cannot be opened, as one of another user, is written to in small pieces as it is.
    ///
    /// - Returns: Whether there is a terminal to write to.
    func openTerminal() -> Bool {
        let own = ccs_terminal_reopen(descriptor)
        if own >= 0, isatty(own) == 1 {
            descriptor = own
            isOwn = true
        } else if own >= 0 {
            close(own)
        }
        return isatty(descriptor) == 1
    }

    /// Writes all, unless the task is cancelled first or the other side is gone.
    func put(_ bytes: [UInt8]) { write(bytes, until: nil) }

    /// Writes what gives a terminal back; one that takes nothing is not waited for.
    func finish(_ bytes: [UInt8]) { write(bytes, until: .now + .milliseconds(300)) }

    private func write(_ bytes: [UInt8], until deadline: ContinuousClock.Instant?) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard waitForRoom(until: deadline) else { return }
            let count = unsafe rest.prefix(isOwn ? 4096 : 256).withUnsafeBytes { bytes in
                isTaken
                    ? unsafe ccs_terminal_write(bytes.baseAddress, bytes.count)
                    : unsafe ccs_write_quietly(descriptor, bytes.baseAddress, bytes.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(Int(count))
            } else if errno != EINTR, errno != EAGAIN {
                return
            }
        }
    }

    private func waitForRoom(until deadline: ContinuousClock.Instant?) -> Bool {
        // A closed descriptor, of which `poll` says nothing.
        guard descriptor >= 0 else { return false }
        while true {
            if deadline == nil, wake.isCancelled { return false }
            if let deadline, deadline <= .now { return false }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            // Short, so that a cancellation is seen: its own descriptor is for whoever waits for keys.
            let count = unsafe poll(&waiting, 1, 50)
            if count > 0 { return waiting.revents & Int16(POLLNVAL) == 0 }
            if count < 0, errno != EINTR { return false }
        }
    }
}

/// Waiting for a lock of the kernel, which cannot be awaited: short naps that grow, up to a deadline.
package enum FileLock {
    package static func wait(
        until deadline: ContinuousClock.Instant,
        longestNap: Duration = .milliseconds(1),
        _ attempt: () throws(SystemError) -> Bool
    ) throws(StorageFault) {
        var nap = Duration.microseconds(50)
        while true {
            if try faulting({ () throws(SystemError) in try attempt() }) { return }
            try StorageCancellation.check()
            let left = deadline - .now
            guard left > .zero else { throw .unavailable(.lockTimedOut) }
            pause(for: min(nap, left))
            nap = min(nap * 2, longestNap)
        }
    }
}

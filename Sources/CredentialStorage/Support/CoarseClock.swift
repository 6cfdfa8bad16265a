internal import CCredentialShims

/// A monotonic clock that costs a few nanoseconds and moves in steps of a few milliseconds.
package enum CoarseClock {
    package static func milliseconds() -> Int64 { ccs_coarse_milliseconds() }
}

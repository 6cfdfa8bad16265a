internal import Glibc

/// Blocks this thread for a short time between two tries of something that cannot be awaited.
///
/// A signal may end the pause early; whoever pauses tries again anyway.
package func pause(for duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    unsafe nanosleep(&time, nil)
}

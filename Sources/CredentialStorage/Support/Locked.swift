internal import Glibc

/// A value behind a lock.
///
/// A pthread mutex, because the thread sanitizer knows it and reports `Synchronization.Mutex` although it is correct.
@safe
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that `value` is touched only between lock and unlock.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    package init(_ value: Value) {
        // The addresses must never move, so both live on the heap for the life of this object.
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        self.value = value
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    package func withLock<R: ~Copyable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Waits until `ready` answers something, and wakes at each `notify()` to ask again.
    ///
    /// - Returns: What `ready` answered, or `nil` when the deadline passed first.
    package func wait<R, E: Error>(
        until deadline: ContinuousClock.Instant?,
        _ ready: (inout Value) throws(E) -> R?
    ) throws(E) -> R? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = try ready(&value) { return result }
            guard let deadline else {
                unsafe pthread_cond_wait(condition, mutex)
                continue
            }
            let left = deadline - .now
            if left <= .zero { return nil }
            var until = timespec.monotonic(after: left)
            unsafe pthread_cond_timedwait(condition, mutex, &until)
        }
    }

    /// Changes the value and wakes everyone who waits.
    package func notify<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(condition)
            unsafe pthread_mutex_unlock(mutex)
        }
        return try body(&value)
    }

    /// Wakes everyone who waits.
    package func wake() {
        notify { _ in }
    }
}

extension timespec {
    fileprivate static func monotonic(after duration: Duration) -> timespec {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        // A wait of more than a year is a wait for ever; the sum must not overflow.
        let (seconds, attoseconds) = min(duration, .seconds(31_536_000)).components
        let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
        return timespec(
            tv_sec: now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000,
            tv_nsec: nanoseconds % 1_000_000_000)
    }
}

internal import Glibc

/// A value that many may read at once and one may change alone.
///
/// Waiting writers come first, so that a crowd of readers cannot keep one out for ever. Not re-entrant.
@safe
package final class ReadWriteLocked<Value>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that `value` is touched only between lock and unlock.
    private let lock: UnsafeMutablePointer<pthread_rwlock_t>
    private var value: Value

    package init(_ value: Value) {
        unsafe lock = .allocate(capacity: 1)
        var attributes = pthread_rwlockattr_t()
        unsafe pthread_rwlockattr_init(&attributes)
        unsafe pthread_rwlockattr_setkind_np(&attributes, CInt(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
        unsafe pthread_rwlock_init(lock, &attributes)
        unsafe pthread_rwlockattr_destroy(&attributes)
        self.value = value
    }

    deinit {
        unsafe pthread_rwlock_destroy(lock)
        unsafe lock.deallocate()
    }

    package func read<R: ~Copyable, E: Error>(_ body: (Value) throws(E) -> R) throws(E) -> R {
        unsafe pthread_rwlock_rdlock(lock)
        defer { unsafe pthread_rwlock_unlock(lock) }
        return try body(value)
    }

    package func write<R: ~Copyable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        unsafe pthread_rwlock_wrlock(lock)
        defer { unsafe pthread_rwlock_unlock(lock) }
        return try body(&value)
    }
}

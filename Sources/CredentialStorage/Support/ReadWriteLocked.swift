internal import CCredentialShims
internal import Glibc

/// A lock that many may hold for reading, or one alone for writing.
///
/// Waiting writers come first, so that a crowd of readers cannot keep one out for ever. Not re-entrant. Readers of
/// different threads take different locks, because a lock that they share costs them more than reading does; a writer
/// takes them all.
@safe
package final class StripedLock: @unchecked Sendable {
    // Unchecked because of the address, which never changes.
    private let stripes: UnsafeMutableRawPointer

    /// Two lines of the processor's cache.
    private static let stride = 128
    private static let count = 8

    package init() {
        unsafe stripes = .allocate(byteCount: Self.stride * Self.count, alignment: Self.stride)
        var attributes = pthread_rwlockattr_t()
        unsafe pthread_rwlockattr_init(&attributes)
        unsafe pthread_rwlockattr_setkind_np(&attributes, CInt(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
        for stripe in 0..<Self.count { unsafe pthread_rwlock_init(lock(stripe), &attributes) }
        unsafe pthread_rwlockattr_destroy(&attributes)
    }

    deinit {
        for stripe in 0..<Self.count { unsafe pthread_rwlock_destroy(lock(stripe)) }
        unsafe stripes.deallocate()
    }

    private func lock(_ stripe: Int) -> UnsafeMutablePointer<pthread_rwlock_t> {
        unsafe (stripes + stripe * Self.stride).assumingMemoryBound(to: pthread_rwlock_t.self)
    }

    private var own: UnsafeMutablePointer<pthread_rwlock_t> {
        unsafe lock(Int(ccs_thread_number()) % Self.count)
    }

    package func lockForReading() { unsafe pthread_rwlock_rdlock(own) }
    package func unlockAfterReading() { unsafe pthread_rwlock_unlock(own) }

    package func lockForWriting() {
        for stripe in 0..<Self.count { unsafe pthread_rwlock_wrlock(lock(stripe)) }
    }

    package func unlockAfterWriting() {
        for stripe in 0..<Self.count { unsafe pthread_rwlock_unlock(lock(stripe)) }
    }
}

/// A value behind a ``StripedLock``.
package final class ReadWriteLocked<Value>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that `value` is touched only between lock and unlock.
    @usableFromInline package let lock = StripedLock()
    // The lock is the access check.
    @safe @exclusivity(unchecked) @usableFromInline package var value: Value

    package init(_ value: Value) { self.value = value }

    @inlinable
    package func read<R: ~Copyable, E: Error>(_ body: (borrowing Value) throws(E) -> R) throws(E) -> R {
        lock.lockForReading()
        defer { lock.unlockAfterReading() }
        return try body(value)
    }

    @inlinable
    package func write<R: ~Copyable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        lock.lockForWriting()
        defer { lock.unlockAfterWriting() }
        return try body(&value)
    }
}

/// A named lock that is held until ``release()``, until this object goes away, or until the process ends.
///
/// Locks are not re-entrant: a second request for the same name waits, from the same thread too.
public final class StorageLock: Sendable {
    private let onRelease: Locked<(@Sendable () -> Void)?>

    /// Makes a lock that is already held.
    ///
    /// - Parameter onRelease: Frees it; runs once, on the thread that releases.
    public init(onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = Locked(onRelease)
    }

    deinit { release() }

    /// Frees the lock.
    ///
    /// A second call does nothing.
    public func release() {
        let action = onRelease.withLock { held in
            defer { held = nil }
            return held
        }
        action?()
    }
}

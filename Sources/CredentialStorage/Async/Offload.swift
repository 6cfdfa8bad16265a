internal import Dispatch

/// Runs a blocking call apart from the pool that async code needs to make progress.
///
/// A serial queue for each call, because those get a thread at once. A concurrent queue has one thread for each core
/// and gains one a second while all of them block, so that two waiting calls would hold up every other one.
func onThreadForBlocking(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "credential-storage.blocking").async(execute: body)
}

/// Runs a blocking call off the caller's thread, and tells it when the task is cancelled.
///
/// A task that is cancelled before the call starts never starts it.
package func offload<R: Sendable>(
    _ operation: StorageOperation,
    _ body: @escaping @Sendable () throws -> R
) async throws -> R {
    let cancellation = StorageCancellation()
    // The result passes through a lock and not through the continuation: the thread sanitizer does not see that one that
    // is resumed before it is awaited hands its value over in order.
    let outcome = Locked(Result<R, any Error>.failure(CancellationError()))
    await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            onThreadForBlocking {
                let result = Result {
                    try performing(operation) { () throws(StorageFault) in
                        if cancellation.isCancelled { throw .unavailable(.cancelled) }
                    }
                    return try StorageCancellation.$current.withValue(cancellation) { try body() }
                }
                outcome.withLock { $0 = result }
                continuation.resume()
            }
        }
    } onCancel: {
        cancellation.cancel()
    }
    return try outcome.withLock { $0 }.get()
}

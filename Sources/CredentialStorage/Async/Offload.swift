internal import Dispatch

/// The queue that blocking calls run on, apart from the pool that async code needs to make progress.
private let blockingCalls = DispatchQueue(label: "credential-storage.blocking", attributes: .concurrent)

/// Runs a blocking call off the caller's thread, and tells it when the task is cancelled.
///
/// A task that is cancelled before the call starts never starts it.
package func offload<R: Sendable>(
    _ operation: StorageOperation,
    _ body: @escaping @Sendable () throws -> R
) async throws -> R {
    let cancellation = StorageCancellation()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            blockingCalls.async {
                let result = Result {
                    try performing(operation) { () throws(StorageFault) in
                        if cancellation.isCancelled { throw .unavailable(.cancelled) }
                    }
                    return try StorageCancellation.$current.withValue(cancellation) { try body() }
                }
                continuation.resume(with: result)
            }
        }
    } onCancel: {
        cancellation.cancel()
    }
}

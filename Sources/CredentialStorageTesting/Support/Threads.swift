internal import CredentialStorage
internal import Dispatch
internal import Glibc

/// Starts a thread of its own for a body that blocks, so that no pool runs dry.
func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    // The new thread takes over the reference that is retained here.
    let argument = unsafe Unmanaged.passRetained(Box(body)).toOpaque()
    let status = unsafe pthread_create(
        &thread, nil,
        { argument in
            let box = unsafe Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue()
            box.body()
            return nil
        }, argument)
    precondition(status == 0, "no thread could be started")
    pthread_detach(thread)
}

/// Runs a body on several threads at once and waits for all; throws the first error.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) throws -> Void) throws {
    let results = Locked<[Result<Void, any Error>]>([])
    for index in 0..<count {
        startThread {
            let result = Result { try body(index) }
            results.notify { $0.append(result) }
        }
    }
    let all = results.wait(until: nil) { $0.count == count ? $0 : nil }
    for result in all ?? [] { try result.get() }
}

/// Waits for what a started piece of work reports; `nil` when it does not within the time.
nonisolated(nonsending) func outcome<R: Sendable>(
    within time: Duration,
    of start: (@escaping @Sendable (Result<R, any Error>) -> Void) -> Void
) async -> Result<R, any Error>? {
    await withCheckedContinuation { (continuation: CheckedContinuation<Result<R, any Error>?, Never>) in
        let waiting = Locked<CheckedContinuation<Result<R, any Error>?, Never>?>(continuation)
        let finish: @Sendable (Result<R, any Error>?) -> Void = { result in
            let first = waiting.withLock { held in
                defer { held = nil }
                return held
            }
            first?.resume(returning: result)
        }
        let (seconds, attoseconds) = time.components
        let end = DispatchTime.now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
        DispatchQueue.global().asyncAfter(deadline: end) { finish(nil) }
        start { finish($0) }
    }
}

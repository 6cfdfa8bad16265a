internal import Glibc

/// What was expected did not happen; a figure of wrong work is worth nothing.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

func check(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw Failure(what()) }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs the body on a thread of its own.
@discardableResult
func startThread(_ body: @escaping @Sendable () -> Void) throws -> pthread_t {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(ThreadBody(body))
    let status = pthread_create(
        &thread, nil,
        { context in
            context.map { Unmanaged<ThreadBody>.fromOpaque($0).takeRetainedValue().run() }
            return nil
        }, context.toOpaque())
    try check(status == 0, "a thread could not be started")
    return thread
}

/// Runs the body on this many threads of their own and waits for all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws {
    let threads = try (0..<count).map { number in try startThread { body(number) } }
    for thread in threads { pthread_join(thread, nil) }
}

/// A value behind a lock, for the threads of a measurement.
final class Shared<Value>: @unchecked Sendable {
    private var value: Value
    private var mutex = pthread_mutex_t()

    init(_ value: Value) {
        self.value = value
        pthread_mutex_init(&mutex, nil)
    }

    func with<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        return try body(&value)
    }
}

/// Work that several threads do side by side for a while.
///
/// Each turn is one sample. `work` is given the thread and the number of its turn.
func crowd(
    _ point: Point, threads: Int, for duration: Duration, operations: Int = 1,
    _ work: @escaping @Sendable (_ thread: Int, _ turn: Int) throws -> Void
) throws -> Measurement {
    let outcome = Shared((samples: Samples(), failure: (any Error)?.none))
    let start = now()
    let end = start + UInt64(duration / .nanoseconds(1))
    try onThreads(threads) { thread in
        var samples = Samples()
        var turn = 0
        var failure: (any Error)?
        while now() < end, failure == nil {
            let begin = now()
            do { try work(thread, turn) } catch { failure = error }
            samples.add(now() - begin)
            turn += 1
        }
        outcome.with {
            $0.samples.add(samples)
            $0.failure = $0.failure ?? failure
        }
    }
    let elapsed = now() - start
    return try outcome.with { outcome in
        if let failure = outcome.failure { throw failure }
        return outcome.samples.measurement(point, operations: operations, elapsed: elapsed)
    }
}

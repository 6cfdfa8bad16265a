internal import Glibc

/// Runs the parts of one piece of work on several threads, and returns when all are done.
///
/// Threads of their own and not a queue's, because the thread sanitizer sees how those hand their results over.
package enum Parallel {
    /// Into how many parts work is best cut that takes so many steps.
    ///
    /// - Parameters:
    ///   - steps: How many steps there are.
    ///   - least: How many steps are worth a thread.
    /// - Returns: At least 1, and no more than there are processors.
    package static func parts(for steps: Int, least: Int) -> Int {
        guard steps >= 2 * least else { return 1 }
        return max(1, min(steps / least, sysconf(Int32(_SC_NPROCESSORS_ONLN)), 16))
    }

    private final class Part: Sendable {
        let number: Int
        let body: @Sendable (Int) -> Void

        init(_ number: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.number = number
            self.body = body
        }
    }

    /// Runs each part; the first on the calling thread.
    ///
    /// - Parameters:
    ///   - parts: How many parts there are.
    ///   - body: Does the part of a number.
    package static func run(_ parts: Int, _ body: @Sendable (Int) -> Void) {
        guard parts > 1 else { return body(0) }
        withoutActuallyEscaping(body) { body in
            var threads: [pthread_t] = []
            for number in 1..<parts {
                let part = unsafe Unmanaged.passRetained(Part(number, body))
                var thread = pthread_t()
                let failure = unsafe pthread_create(
                    &thread, nil,
                    { context in
                        let part = unsafe Unmanaged<Part>.fromOpaque(context!).takeRetainedValue()
                        part.body(part.number)
                        return nil
                    }, part.toOpaque())
                if failure == 0 {
                    threads.append(thread)
                } else {
                    // No thread to be had: here, then.
                    let part = unsafe part.takeRetainedValue()
                    part.body(part.number)
                }
            }
            body(0)
            for thread in threads { pthread_join(thread, nil) }
        }
    }
}

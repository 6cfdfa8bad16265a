import CredentialStorage
import Foundation

/// Runs a body on several threads at once and waits for all; throws the first error.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) throws -> Void) throws {
    let results = Locked<[Result<Void, any Error>]>([])
    for index in 0..<count {
        startThread {
            let result = Result { try body(index) }
            results.notify { $0.append(result) }
        }
    }
    for result in results.wait(until: nil, { $0.count == count ? $0 : nil }) ?? [] { try result.get() }
}

/// Starts a thread of its own for a body that blocks.
func startThread(_ body: @escaping @Sendable () -> Void) {
    Thread(block: body).start()
}

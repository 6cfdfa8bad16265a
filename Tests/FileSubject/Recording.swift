internal import CredentialStorage
internal import CredentialStorageFile
internal import Dispatch
internal import FoundationEssentials
internal import Glibc

/// Reads, writes, compares, sets and deletes on two threads over a few names, and prints each call with the times
/// of its begin and its end, by a clock that all processes share.
///
/// A line is: begin, end, name, what was done, its values and its outcome. `-` stands for no value.
func record(_ process: String, operations: Int) {
    say("ready")
    _ = readLine()
    let lines = Locked<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
        var random = SystemRandomNumberGenerator()
        var seen: [String: String] = [:]
        for number in 0..<operations {
            let name = ["x", "y", "z"].randomElement(using: &random) ?? "x"
            let value = "\(process).\(thread).\(number)"
            let begin = monotonicNanoseconds()
            let call: String
            do {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4:
                    seen[name] = try storage.string(forKey: name)
                    call = "read \(seen[name] ?? "-")"
                case 4..<6:
                    try storage.set(value, forKey: name)
                    call = "write \(value)"
                case 6:
                    call = "delete \(try storage.delete(name))"
                default:
                    // What was seen last may be outdated, so that some of these succeed and some do not.
                    let new = Int.random(in: 0..<4, using: &random) == 0 ? nil : value
                    let isSet = try storage.compareAndSet(
                        name, expected: seen[name].map { Data($0.utf8) }, new: new.map { Data($0.utf8) })
                    call = "compare \(seen[name] ?? "-") \(new ?? "-") \(isSet)"
                }
            } catch {
                call = "failed"
            }
            let end = monotonicNanoseconds()
            lines.withLock { $0.append("\(begin) \(end) \(name) \(call)") }
        }
    }
    for line in lines.withLock({ $0 }) { say(line) }
}

private func monotonicNanoseconds() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

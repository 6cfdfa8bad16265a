internal import Glibc

/// Ends the process where something is not as it must be; libFuzzer then keeps the input.
func require(_ isRight: Bool, _ what: @autoclosure () -> String) {
    guard !isRight else { return }
    say("finding: \(what())")
    abort()
}

private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(2, bytes, bytes.count)
}

/// What is set up once for all inputs and can only fail where the harness itself is wrong.
func must<R>(_ body: () throws -> R) -> R {
    do { return try body() } catch {
        say("the harness does not work: \(error)")
        exit(3)
    }
}

/// Whether a fault is put in on purpose, which the fuzzer then has to find.
let hasFault = getenv("FUZZ_FAULT") != nil

internal import CredentialStorage
internal import FoundationEssentials
internal import Testing

@Suite("Concurrent reading", .timeLimit(.minutes(5)))
struct ConcurrentReadingTests {
    @Test("readers see both halves of a change or none, and no change is lost")
    func halves() async {
        let value = ReadWriteLocked((0, 0))
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<12 {
                group.addTask {
                    for _ in 0..<2000 {
                        if task < 3 {
                            value.write {
                                $0.0 += 1
                                $0.1 += 1
                            }
                        } else if value.read({ $0.0 != $0.1 }) {
                            return false
                        }
                    }
                    return true
                }
            }
            for await isWhole in group { #expect(isWhole) }
        }
        #expect(value.read { $0.0 } == 6000)
    }

    @Test("short-lived buffers of many threads start as zeros and are nobody else's")
    func scratch() async throws {
        let arena = SecureArena()
        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 1...12 {
                group.addTask {
                    var wrong = 0
                    for round in 0..<500 {
                        let count = (task * 997 + round * 31) % 20_000
                        var outer = try SecureBuffer(scratch: count, in: arena)
                        // A second one of the same thread.
                        let inner = try SecureBuffer(scratch: count, in: arena)
                        outer.withMutableBytes { bytes in
                            for index in 0..<bytes.count {
                                if bytes[index] != 0 { wrong += 1 }
                                bytes[index] = UInt8(task)
                            }
                        }
                        inner.withBytes { bytes in
                            for index in bytes.indices where bytes[index] != 0 { wrong += 1 }
                        }
                        outer.withBytes { bytes in
                            for index in bytes.indices where bytes[index] != UInt8(task) { wrong += 1 }
                        }
                    }
                    return wrong
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test("every part of parallel work is done once", arguments: [1, 2, 3, 16])
    func parts(count: Int) {
        let done = Locked([Int](repeating: 0, count: count))
        Parallel.run(count) { part in done.withLock { $0[part] += 1 } }
        #expect(done.withLock { $0 } == [Int](repeating: 1, count: count))
    }

    @Test("little work is not cut, and no part is empty")
    func cutting() {
        for steps in [0, 1, 99, 199] { #expect(Parallel.parts(for: steps, least: 100) == 1) }
        for steps in [200, 1000, 1_000_000] {
            let parts = Parallel.parts(for: steps, least: 100)
            #expect(parts >= 1 && steps / parts >= 100)
        }
    }
}

internal import CredentialStorage
internal import FoundationEssentials
internal import Testing

@Suite("Cancellation and blocking calls", .timeLimit(.minutes(10)))
struct CancellationTests {
    @Test("a synchronous call has no cancellation, and an async one has")
    func current() async throws {
        #expect(StorageCancellation.current == nil)
        let isThere = try await offload(.read) { StorageCancellation.current.map { !$0.isCancelled } }
        #expect(isThere == true)
        #expect(StorageCancellation.current == nil)
    }

    @Test("a call that runs is told when its task is cancelled")
    func running() async throws {
        let started = AsyncStream<Void>.makeStream()
        let task = Task {
            try await offload(.read) {
                let isCancelled = Locked(false)
                let cancellation = try #require(StorageCancellation.current)
                let registration = cancellation.onCancel { isCancelled.notify { $0 = true } }
                defer { registration.cancel() }
                started.continuation.finish()
                let answer = isCancelled.wait(until: .now + .seconds(50)) { $0 ? true : nil }
                return answer == true && cancellation.isCancelled
            }
        }
        for await _ in started.stream {}
        task.cancel()
        #expect(try await task.value)
    }

    @Test("a handler runs once, and not at all when it was taken back or the call is over")
    func handlers() async throws {
        let counts = Locked((kept: 0, taken: 0, late: 0))
        let started = AsyncStream<Void>.makeStream()
        let goOn = Locked(false)
        let task = Task {
            try await offload(.read) {
                let cancellation = try #require(StorageCancellation.current)
                _ = cancellation.onCancel { counts.withLock { $0.kept += 1 } }
                cancellation.onCancel { counts.withLock { $0.taken += 1 } }.cancel()
                started.continuation.finish()
                _ = goOn.wait(until: .now + .seconds(50)) { $0 ? true : nil }
                _ = cancellation.onCancel { counts.withLock { $0.late += 1 } }
            }
        }
        for await _ in started.stream {}
        task.cancel()
        task.cancel()
        goOn.notify { $0 = true }
        try await task.value
        let found = counts.withLock { $0 }
        #expect(found.kept == 1)
        #expect(found.taken == 0)
        #expect(found.late == 1, "a handler that comes after the cancellation runs at once")
    }

    @Test("a body that has begun ends as it likes, cancelled or not")
    func completion() async throws {
        struct Own: Error {}
        #expect(try await offload(.write) { 7 } == 7)
        await #expect(throws: Own.self) { try await offload(.write) { throw Own() } }
    }

    @Test("forty calls that block do not hold up the next one")
    func blocking() async throws {
        let storage = StorageBuilder.InMemory().build()
        let lock = try await storage.acquireLock("lock", timeout: .zero)
        let waiting = (0..<40).map { _ in
            Task { try await storage.acquireLock("lock", timeout: .seconds(50)).release() }
        }
        let clock = ContinuousClock()
        let time = try await clock.measure {
            for index in 0..<40 { try await storage.set(Data([UInt8(index)]), forKey: "name") }
        }
        #expect(time < .seconds(10))
        lock.release()
        for task in waiting { try await task.value }
    }
}

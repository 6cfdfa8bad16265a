#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("A provider that does not answer", .serialized, .timeLimit(.minutes(10)))
    struct DeadlineTests {
        private static let provider = Shared { try ScriptedProvider() }
        private static let deadline = Duration.milliseconds(500)

        private func begin(_ behaviour: String = "normal") throws -> ScriptedProvider {
            let provider = try Self.provider.get()
            try provider.begin(behaviour)
            return provider
        }

        @Test("a stopped provider is timed out of every call, and answers the next one when it goes on")
        func stopped() throws {
            let provider = try begin()
            for isFresh in [true, false] {
                let store = provider.bus.builder().deadline(Self.deadline).build()
                if !isFresh { _ = try store.get("present") }
                try provider.setStopped(true)
                let answers = Result {
                    try Operation.allCases.map { operation in
                        try within(patience(Self.deadline)) { operation.run(store) }
                    }
                }
                try provider.setStopped(false)
                for (operation, answer) in zip(Operation.allCases, try answers.get()) {
                    let possible: [Answer] =
                        operation.kind == .read
                        ? [.unavailable(.timedOut)] : [.unavailable(.timedOut), .unavailable(.notConfirmed)]
                    #expect(possible.contains(answer), "\(operation): \(answer)")
                }
                // What it was asked while it was stopped it may still do when it goes on.
                let settled = provider.bus.store
                #expect(try within(.seconds(30)) { try settled.keys() } != [])
                try settled.set("value", forKey: "present")
                #expect(try within(.seconds(30)) { Operation.get.run(store) } == .value("value"))
            }
        }

        @Test("probing, locking, unlocking and listing end at the deadline too")
        func others() throws {
            let provider = try begin("silent")
            let store = provider.bus.builder().deadline(Self.deadline).build()
            let limit = patience(Self.deadline)
            let timedOut = Answer.unavailable(.timedOut)
            #expect(Answer(of: .read, within: limit) { _ = try store.keys() } == timedOut)
            #expect(Answer(of: .read, within: limit) { try store.unlock() } == timedOut)
            #expect(Answer(of: .read, within: limit) { try store.lock() } == timedOut)
            #expect(Answer(of: .delete, within: limit) { try store.deleteAll() } == timedOut)
            let probe = try within(limit) { store.probe() }
            #expect(!probe.isReadable)
            #expect(probe.reason?.category == .timedOut)
        }

        @Test("many calls without an answer leave nothing behind")
        func leavesNothing() throws {
            let provider = try begin()
            let rounds = runsLongTests ? 1_000 : 60
            for behaviour in ["silent", "prompt that never completes"] {
                try provider.begin(behaviour)
                let store = provider.bus.builder().deadline(.milliseconds(20))
                    .prompts(.allowed(deadline: .milliseconds(20))).build()
                // The first calls make the threads that stay.
                for _ in 0..<3 { _ = Operation.get.run(store) }
                let (threads, descriptors) = (threadCount(), descriptorCount())
                let matches = try provider.bus.matchRules()
                for round in 0..<rounds {
                    let operation = Operation.allCases[round % Operation.allCases.count]
                    guard case .unavailable = try within(patience(.seconds(1)), { operation.run(store) }) else {
                        Issue.record("\(operation)")
                        continue
                    }
                }
                #expect(threadCount() <= threads + 2)
                #expect(descriptorCount() <= descriptors + 2)
                #expect(try provider.bus.matchRules() <= matches + 2)
                try provider.begin("normal")
                #expect(try within(.seconds(30)) { try provider.bus.store.get("present") } == Data("value".utf8))
            }
        }

        @Test("many stores that were made and dropped leave nothing behind")
        func droppedStores() throws {
            let provider = try begin()
            func use() throws { #expect(Operation.get.run(provider.bus.store) == .value("value")) }
            for _ in 0..<3 { try use() }
            let (threads, descriptors) = (threadCount(), descriptorCount())
            let matches = try provider.bus.matchRules()
            for _ in 0..<(runsLongTests ? 1_000 : 50) { try use() }
            // A connection closes in the background.
            let until = ContinuousClock.now + .seconds(30)
            while descriptorCount() > descriptors + 4 || threadCount() > threads + 4, .now < until { usleep(10_000) }
            #expect(threadCount() <= threads + 4)
            #expect(descriptorCount() <= descriptors + 4)
            #expect(try provider.bus.matchRules() <= matches + 4)
        }

        @Test("a task that is cancelled stops waiting at once", arguments: ["silent", "prompt that never completes"])
        func cancellation(_ behaviour: String) async throws {
            let provider = try begin(behaviour)
            let store = provider.bus.builder().deadline(.seconds(300)).prompts(.allowed(deadline: .seconds(300)))
                .build()
            for operation in Operation.allCases {
                _ = try provider.counts(clear: true)
                let task = Task {
                    switch operation {
                    case .get, .getAbsent: _ = try await store.get("present")
                    case .set, .replace: try await store.set(Data("another".utf8), forKey: "present")
                    case .delete: _ = try await store.delete("present")
                    case .readAll: _ = try await store.readAll()
                    }
                }
                // Cancelled when the provider has been asked, not before.
                while try provider.counts().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
                let start = ContinuousClock.now
                task.cancel()
                let result = await task.result
                #expect(ContinuousClock.now - start < .seconds(10))
                guard case .failure(let error) = result else {
                    Issue.record("\(operation) succeeded")
                    continue
                }
                #expect(Answer(error, during: operation.kind) == .unavailable(.cancelled), "\(operation)")
            }
        }

        @Test("a call is cut off and its store dropped before the answer comes")
        func droppedInMidCall() async throws {
            let provider = try begin("late")
            for _ in 0..<20 {
                let task = Task { [bus = provider.bus] in try await bus.store.get("present") }
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...60)))
                task.cancel()
                _ = await task.result
            }
            #expect(Operation.get.run(provider.bus.store) == .value("value"))
        }

        @Test("a provider that comes to itself answers the call after the one that timed out")
        func recovers() throws {
            let provider = try begin("silent")
            let store = provider.bus.builder().deadline(Self.deadline).build()
            #expect(Operation.get.run(store) == .unavailable(.timedOut))
            try provider.adjust(["silent": [String]()])
            #expect(Operation.get.run(store) == .value("value"))
        }
    }
#endif

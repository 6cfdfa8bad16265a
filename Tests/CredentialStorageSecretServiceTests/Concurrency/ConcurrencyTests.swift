#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import CredentialTestSupport
    import SecretServiceTestSupport
    import Synchronization
    import Testing

    @Suite("Concurrent use of a keyring", .serialized, .timeLimit(.minutes(10)))
    struct KeyringConcurrencyTests {
        private static let keyring = Shared { try GnomeKeyring() }

        private func store(_ name: String) throws -> SecretServiceStorage {
            try Self.keyring.get().bus.builder("org.example.\(name)").deadline(.seconds(60)).build()
        }

        @Test("sixteen readers beside a writer see one of two values, never none and never a mixture")
        func readersAndWriter() throws {
            let store = try store("readers")
            let values = [UInt8(ascii: "a"), UInt8(ascii: "\n")].map { Data(repeating: $0, count: 8192) }
            try store.set(values[0], forKey: "entry")
            let isOver = Atomic(false)
            let reads = Atomic(0)
            let results = try onThreads(17) { [values] index -> String? in
                if index == 0 {
                    defer { isOver.store(true, ordering: .releasing) }
                    let until = ContinuousClock.now + (runsLongTests ? .seconds(30) : .seconds(2))
                    var round = 0
                    while .now < until || reads.load(ordering: .relaxed) < 200 {
                        round += 1
                        try store.set(values[round % 2], forKey: "entry")
                    }
                    return nil
                }
                while !isOver.load(ordering: .acquiring) {
                    let value = try index % 2 == 0 ? store.get("entry") : store.readAll()[key: "entry"]
                    guard let value else { return "absent" }
                    guard values.contains(value) else { return "\(value.count) bytes of something else" }
                    reads.add(1, ordering: .relaxed)
                }
                return nil
            }
            for result in results { #expect(try result.get() == nil) }
        }

        @Test("fifty upserts of one name in five processes leave one item")
        func upserts() throws {
            let bus = try Self.keyring.get().bus
            let results = try onThreads(5) { _ in try bus.subject("upsert", "upserted", "10") }
            for result in results {
                let (lines, status) = try result.get()
                #expect(status == 0)
                #expect(lines == Array(repeating: "set", count: 10))
            }
            #expect(try bus.items(attributes("upserted")).count == 1)
            try bus.deleteItems(attributes("upserted"))
        }

        @Test("processes that have no place for locks leave one item, and one of the values that they set")
        func upsertsWithoutLocks() throws {
            let bus = try Self.keyring.get().bus
            let nowhere = ["XDG_DATA_HOME": "/dev/null/nowhere"]
            for round in 0..<(runsLongTests ? 50 : 5) {
                let name = "unlocked \(round)"
                let results = try onThreads(5) { index in
                    try bus.subject("set", name, "process \(index)", variables: nowhere)
                }
                for result in results { #expect(try result.get().lines == ["set"]) }
                let left = try bus.items(attributes(name)).compactMap(\.value)
                #expect(left.count == 1)
                #expect((0..<5).contains { left == [Data("process \($0)".utf8)] })
                try bus.deleteItems(attributes(name))
            }
        }

        @Test("of several processes that create one entry at the same time, one wins")
        func creation() throws {
            let bus = try Self.keyring.get().bus
            let results = try onThreads(5) { index in try bus.subject("create", "created", "process \(index)") }
            let lines = try results.flatMap { try $0.get().lines }
            #expect(lines.sorted() == ["false", "false", "false", "false", "true"])
            #expect(try bus.items(attributes("created")).count == 1)
            try bus.deleteItems(attributes("created"))
        }

        @Test("a hundred tasks on their own entries do not get into each other's way")
        func tasks() async throws {
            let store = try store("tasks")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        let value = Data("value \(index)".utf8)
                        try await store.set(value, forKey: "entry \(index)")
                        guard try await store.get("entry \(index)") == value else { throw CancellationError() }
                        guard index % 2 == 0 else { return }
                        try await store.delete("entry \(index)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.keys().count == 50)
            try await store.deleteAll()
        }

        @Test(
            "a process that forks without exec: its children are refused, and it loses no answer",
            .enabled(
                if: !Sanitizer.isThreadSanitizer, "the thread sanitizer knows no fork of a process with threads"))
        func fork() throws {
            let bus = try Self.keyring.get().bus
            try bus.store.set("value", forKey: "present")
            let result = try bus.subject("fork")
            #expect(result.lines == ["value"])
            #expect(result.status == 0)
        }

        @Test("twenty processes that are started read at the same time")
        func processes() throws {
            let bus = try Self.keyring.get().bus
            let own = bus.store
            try own.set("value", forKey: "present")
            let results = try onThreads(20) { _ in try bus.subject("get", "present") }
            for result in results { #expect(try result.get().lines == ["value"]) }
            #expect(try own.get("present") == Data("value".utf8))
        }
    }
#endif

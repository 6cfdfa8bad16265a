#if SecretService
    import CCredentialLibsecret
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Main loops and threads, concurrently", .serialized, .timeLimit(.minutes(5)))
    struct MainLoopConcurrencyTests {
        private static let keyring = Shared { try GnomeKeyring() }

        private func freshStore() throws -> SecretServiceStorage {
            let bus = try Self.keyring.get().bus
            try bus.store.set("value", forKey: "present")
            return bus.store
        }

        private func everything(_ store: SecretServiceStorage) -> [Answer] {
            [Operation.get, .replace, .readAll, .delete].map { $0.run(store) }
        }

        private let fine: [Answer] = [.value("value"), .done, Operation.readAll.fine, .deleted(true)]

        @Test("a plain thread without any loop")
        func thread() throws {
            let store = try freshStore()
            #expect(try within(.seconds(30)) { everything(store) } == fine)
        }

        @Test("the main actor, synchronously")
        @MainActor
        func mainActor() throws {
            #expect(everything(try freshStore()) == fine)
        }

        @Test("a detached task, and the asynchronous forms from the main actor")
        @MainActor
        func tasks() async throws {
            let store = try freshStore()
            #expect(await Task.detached { everything(store) }.value == fine)
            try await store.set(Data("async".utf8), forKey: "present")
            #expect(try await store.get("present") == Data("async".utf8))
            #expect(try await store.delete("present"))
        }

        @Test("inside a callback of a GLib main loop that runs, and from other threads beside it")
        func mainLoop() throws {
            let store = try freshStore()
            let beside = try Self.keyring.get().bus.builder("org.example.beside").build()
            let run = LoopRun { everything(store) }
            let other = Locked<Answer?>(nil)
            onThread {
                let answer = Operation.set.run(beside)
                other.notify { $0 = answer }
            }
            #expect(try within(.seconds(60)) { run.onDefaultContext() } == fine)
            #expect(other.wait(until: .now + .seconds(60)) { $0 } == .done)
        }

        @Test("a loop that ticks goes on ticking while another thread waits for a provider that is late")
        func ticking() throws {
            let provider = try ScriptedProvider("late")
            try provider.begin("late")
            let store = provider.bus.builder().deadline(.seconds(60)).build()
            let answer = Locked<Answer?>(nil)
            onThread {
                let result = Operation.get.run(store)
                answer.notify { $0 = result }
            }
            let ticks = try within(.seconds(60)) { Ticker.ticks(until: { answer.withLock { $0 } != nil }) }
            #expect(answer.withLock { $0 } == .value("value"))
            // The provider takes half a second at least; a loop that was held up would have ticked once or twice.
            #expect(ticks > 5)
        }
    }

    /// A run of GLib's default main loop that does one thing inside a callback and ends.
    private final class LoopRun: @unchecked Sendable {
        // Unchecked: all of it is used by the thread that runs the loop.
        private let body: () -> [Answer]
        private var answers: [Answer] = []
        private var loop: OpaquePointer?

        init(_ body: @escaping () -> [Answer]) { self.body = body }

        func onDefaultContext() -> [Answer] {
            loop = g_main_loop_new(nil, 0)
            g_idle_add(
                { data in
                    guard let data else { return 0 }
                    let run = Unmanaged<LoopRun>.fromOpaque(data).takeUnretainedValue()
                    run.answers = run.body()
                    g_main_loop_quit(run.loop)
                    return 0
                }, Unmanaged.passUnretained(self).toOpaque())
            g_main_loop_run(loop)
            g_main_loop_unref(loop)
            return answers
        }
    }

    /// Counts how often a loop of GLib comes round.
    private final class Ticker: @unchecked Sendable {
        // Unchecked: all of it is used by the thread that runs the loop.
        private let isOver: () -> Bool
        private var count = 0

        private init(_ isOver: @escaping () -> Bool) { self.isOver = isOver }

        static func ticks(until isOver: @escaping () -> Bool) -> Int {
            let ticker = Ticker(isOver)
            let context = g_main_context_new()
            let source = g_timeout_source_new(16)
            g_source_set_callback(
                source,
                { data in
                    if let data { Unmanaged<Ticker>.fromOpaque(data).takeUnretainedValue().count += 1 }
                    return 1
                }, Unmanaged.passUnretained(ticker).toOpaque(), nil)
            g_source_attach(source, context)
            while !ticker.isOver() { g_main_context_iteration(context, 1) }
            g_source_destroy(source)
            g_source_unref(source)
            g_main_context_unref(context)
            return ticker.count
        }
    }
#endif

#if SecretService
    internal import CTestFork
    internal import CredentialStorage
    internal import CredentialStorageSecretService
    internal import FoundationEssentials
    internal import Glibc
    internal import Synchronization

    /// Reads on several threads, forks without exec at any moment, and tries every member in the child.
    enum Forking {
        static let isOver = Atomic(false)
        static let wrong = Atomic(0)

        static func run(rounds: Int) throws -> String {
            guard tryEverything() == 1 else { return "the parent was refused" }
            let readers = Locked(4)
            for _ in 0..<4 {
                thread {
                    while !isOver.load(ordering: .acquiring) {
                        if (try? store.get("present")) != Data("value".utf8) { wrong.add(1, ordering: .relaxed) }
                    }
                    readers.notify { $0 -= 1 }
                }
            }
            for round in 0..<rounds {
                let status = ctf_run_in_child({ Forking.tryEverything() }, 20)
                guard status == 0 else { return "round \(round): the child ended with \(status)" }
            }
            isOver.store(true, ordering: .releasing)
            _ = readers.wait(until: nil) { $0 == 0 ? true : nil }
            // No answer went to a child, and none was lost.
            guard wrong.load(ordering: .relaxed) == 0 else { return "the parent lost answers" }
            return text(of: try store.get("present"))
        }

        static func thread(_ body: @escaping @Sendable () -> Void) {
            final class Box {
                let body: @Sendable () -> Void; init(_ body: @escaping @Sendable () -> Void) { self.body = body }
            }
            var thread = pthread_t()
            unsafe pthread_create(
                &thread, nil,
                { box in
                    guard let box = unsafe box else { return nil }
                    unsafe Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body()
                    return nil
                }, Unmanaged.passRetained(Box(body)).toOpaque())
            pthread_detach(thread)
        }

        /// 0 when every member said that the process was forked, 1 when none did, something else otherwise.
        private static func tryEverything() -> Int32 {
            let value = Data("value".utf8)
            let results = [
                refused { _ = try store.get("present") },
                refused { try store.withSecret(forKey: "present") { _ in } },
                refused { try store.set(value, forKey: "present") },
                refused { try store.setSecret(value.span, forKey: "present") },
                refused { try store.delete("absent") },
                refused { _ = try store.readAll() },
                refused { _ = try store.keys() },
                refused { _ = try store.compareAndSet("present", expected: nil, new: value) },
                refused { _ = try store.acquireLock("lock", timeout: .zero) },
            ]
            if results.allSatisfy({ !$0 }) { return 1 }
            guard results.allSatisfy(\.self) else { return 3 }
            guard refused({ try store.deleteAll() }) else { return 4 }
            guard store.probe().reason?.category == .forkedProcess else { return 5 }
            guard refused({ try store.unlock() }), refused({ try store.lock() }) else { return 6 }
            store.close()
            return 0
        }

        private static func refused(_ body: () throws -> Void) -> Bool {
            do {
                try body()
                return false
            } catch {
                return (error as? StorageError)?.category == .forkedProcess
            }
        }
    }
#endif

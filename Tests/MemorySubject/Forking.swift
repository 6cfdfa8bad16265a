internal import CTestFork
internal import CredentialStorage
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Uses a store on several threads, forks without exec at any moment, and tries every member in the child.
enum Forking {
    struct Wrong: Error, CustomStringConvertible { let description: String }

    static let storage = StorageBuilder.InMemory().build()
    static let isOver = Atomic(false)
    static let held = Locked<StorageLock?>(nil)

    static func run(rounds: Int) throws {
        try storage.set(Data([1]), forKey: "name")
        let lock = try storage.acquireLock("lock", timeout: .zero)
        held.withLock { $0 = lock }
        // The parent goes through the same code first, so that the child meets nothing of the runtime for the first time.
        guard tryEverything() == 1 else { throw Wrong(description: "the parent was refused") }
        var threads: [pthread_t] = []
        for _ in 0..<4 {
            var thread = pthread_t()
            unsafe pthread_create(
                &thread, nil,
                { _ in
                    Forking.hammer()
                    return nil
                }, nil)
            threads.append(thread)
        }
        defer {
            isOver.store(true, ordering: .releasing)
            for thread in threads { pthread_join(thread, nil) }
        }
        for round in 0..<rounds {
            let status = ctf_run_in_child({ Forking.tryEverything() }, 20)
            guard status == 0 else { throw Wrong(description: "round \(round): the child ended with \(status)") }
        }
        // The parent is as it was.
        guard try storage.get("name") == Data([1]) else { throw Wrong(description: "the parent lost its entry") }
        do {
            _ = try storage.acquireLock("lock", timeout: .zero)
        } catch {
            return
        }
        throw Wrong(description: "a child freed its parent's lock")
    }

    private static func hammer() {
        var round = 0
        while !isOver.load(ordering: .acquiring) {
            round += 1
            try? storage.set(Data(count: round % 5000), forKey: "hammer \(round % 7)")
            _ = try? storage.compareAndSet("cas", expected: nil, new: Data(count: 10))
            _ = try? storage.delete("cas")
            _ = try? storage.keys()
        }
    }

    /// 0 when every member said that the process was forked, 1 when none did, something else otherwise.
    private static func tryEverything() -> Int32 {
        let value = Data([2])
        let results = [
            refused { _ = try storage.get("name") },
            refused { try storage.withSecret(forKey: "name") { _ in } },
            refused { try storage.set(value, forKey: "other") },
            refused { try storage.setSecret(value.span, forKey: "other") },
            refused { try storage.delete("other") },
            refused { _ = try storage.readAll() },
            refused { _ = try storage.keys() },
            refused { _ = try storage.compareAndSet("other", expected: nil, new: value) },
            refused { _ = try storage.acquireLock("other lock", timeout: .zero) },
            refused { try storage.update { try $0.delete("other") } },
        ]
        if results.allSatisfy({ !$0 }) { return 1 }
        guard results.allSatisfy(\.self) else { return 3 }
        // Only in a child from here on: none of these may hang, and none may reach the parent.
        guard refused({ try storage.deleteAll() }) else { return 4 }
        guard storage.probe().reason?.category == .forkedProcess else { return 5 }
        guard storage.protection.memory == .notLocked else { return 6 }
        held.withLock { $0 }?.release()
        storage.close()
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

import CredentialStorage
import CredentialStorageFile
import CredentialStorageSealing
import Foundation
import Testing

@Suite("Concurrency: processes on one vault", .timeLimit(.minutes(10)), .serialized)
struct ConcurrencyProcessTests {
    @Test("ten processes that start at once without a vault agree on one, and lose nothing")
    func firstStarts() throws {
        let vault = try TestVault(isMade: false)
        let environment = ["HOME": vault.root, "XDG_CONFIG_HOME": vault.root + "/config"]
        let processes = try (0..<10).map { index in
            try SubjectProcess(["set-many", vault.path, "-", "process \(index)", "50"], environment: environment)
        }
        for process in processes {
            let result = process.finish()
            #expect(result.status == 0 && result.lines.count == 50, "\(result.lines.last ?? "")")
        }
        let store = vault.builder.keySource(.keyFile(vault.root + "/config/test/vault.key")).build()
        let bulk = try store.readAll()
        #expect(bulk.isComplete && bulk.entries.count == 500)
        #expect(vault.litter().isEmpty)
        #expect(try store.verify()?.isSound == true)
    }

    @Test("writers that are killed at any moment lose nothing that they acknowledged")
    func kills() throws {
        let vault = try TestVault()
        let watcher = vault.store
        var acknowledged: Set<String> = []
        for round in 0..<(runsLongTests ? 200 : 20) {
            let writers = try (0..<2).map { index in
                try SubjectProcess(["set-many", vault.path, vault.keyPath, "round \(round) \(index)", "100000"])
            }
            // Killed after a varying number of writes, in the middle of the next one.
            for (index, writer) in writers.enumerated() {
                for _ in 0..<1 + (round * 7 + index * 3) % 23 {
                    guard let name = writer.line() else { break }
                    acknowledged.insert(name)
                }
                writer.signal(SIGKILL)
                let result = writer.finish()
                #expect(result.status == -SIGKILL, "\(result.lines.last ?? "")")
                acknowledged.formUnion(result.lines.filter { $0.hasPrefix("round") })
            }
            for reader in [watcher, vault.store] {
                let bulk = try reader.readAll()
                #expect(bulk.isComplete)
                let found = Set(bulk.entries.map(\.key))
                #expect(acknowledged.isSubset(of: found), "round \(round)")
                #expect(found.count <= acknowledged.count + 2 * (round + 1), "at most one in flight for each writer")
            }
            try watcher.set("x", forKey: "watcher")
        }
        #expect(try vault.store.verify()?.isSound == true)
        #expect(vault.litter().isEmpty)
    }

    @Test("makers that are killed leave no vault or a whole one, and their litter goes")
    func killedMakers() throws {
        for round in 0..<(runsLongTests ? 100 : 10) {
            let vault = try TestVault(isMade: false)
            let environment = ["HOME": vault.root, "XDG_CONFIG_HOME": vault.root + "/config"]
            let maker = try SubjectProcess(["set-many", vault.path, "-", "maker", "10"], environment: environment)
            usleep(UInt32(round * 997 % 12_000))
            maker.signal(SIGKILL)
            let acknowledged = maker.finish().lines
            let root = vault.root
            let store = StorageBuilder.EncryptedFile(service: "test").path(vault.path).log(.silent)
                .environment(Environment { ["HOME": root, "XDG_CONFIG_HOME": root + "/config"][$0] }).build()
            #expect(try Set(acknowledged).isSubset(of: store.keys()))
            try store.set("value", forKey: "name")
            #expect(try store.string(forKey: "name") == "value")
            #expect(vault.litter().isEmpty)
        }
    }

    @Test("a stopped holder makes a writer give up at its deadline, readers go on, and its death frees the vault")
    func stoppedWriter() throws {
        let vault = try TestVault()
        let store = vault.builder.deadline(.milliseconds(300)).build()
        try store.set("value", forKey: "name")
        let holder = try SubjectProcess(["hold-vault", vault.path, vault.keyPath])
        #expect(holder.line() == "held")
        holder.signal(SIGSTOP)
        for _ in 0..<2 {
            let start = ContinuousClock.now
            #expect(
                failure { try store.set("x", forKey: "x") }
                    == .writeError(cause: .unavailable(operation: .write, category: .lockTimedOut, code: .none)))
            let time = ContinuousClock.now - start
            #expect(time >= .milliseconds(300) && time < .seconds(3))
            #expect(try store.string(forKey: "name") == "value")
            #expect(try vault.store.keys() == ["name"])
        }
        #expect(failure { try store.delete("name") }?.category == .lockTimedOut)
        #expect(failure { try store.update { _ in } }?.category == .lockTimedOut)
        holder.signal(SIGKILL)
        _ = holder.finish()
        try store.set("x", forKey: "x")
        #expect(try vault.store.keys() == ["name", "x"])
    }

    @Test("a stopped holder of a named lock is waited for until the deadline, and its death frees the lock")
    func stoppedLock() throws {
        let vault = try TestVault()
        let store = vault.store
        let holder = try SubjectProcess(["hold-lock", vault.path, vault.keyPath, "lock"])
        #expect(holder.line() == "held")
        holder.signal(SIGSTOP)
        let start = ContinuousClock.now
        #expect(failure { try store.acquireLock("lock", timeout: .milliseconds(200)) }?.category == .lockTimedOut)
        #expect(ContinuousClock.now - start < .seconds(3))
        try store.acquireLock("another", timeout: .zero).release()
        try store.set("value", forKey: "name")
        holder.signal(SIGKILL)
        _ = holder.finish()
        let lock = try store.acquireLock("lock", timeout: .seconds(5))
        #expect(failure { try vault.store.acquireLock("lock", timeout: .zero) }?.category == .lockTimedOut)
        lock.release()
        try vault.store.acquireLock("lock", timeout: .zero).release()
    }

    @Test("each process sees the other's write on its next read")
    func visibility() throws {
        let vault = try TestVault()
        let store = vault.store
        let other = try SubjectProcess(["obey", vault.path, vault.keyPath])
        for round in 0..<100 {
            try store.set("mine \(round)", forKey: "name")
            #expect(other.ask("get name") == "mine \(round)")
            #expect(other.ask("set name theirs \(round)") == "done")
            #expect(try store.string(forKey: "name") == "theirs \(round)")
        }
        #expect(other.finish().status == 0)
    }

    @Test("a reader sees the second of two writes that another process made one right after the other")
    func twoQuickWrites() throws {
        let vault = try TestVault()
        let store = vault.store
        let other = try SubjectProcess(["write-pairs", vault.path, vault.keyPath])
        for round in 0..<100 {
            #expect(other.ask("\(round)") == "done")
            #expect(try store.string(forKey: "name") == "second \(round)")
        }
        #expect(other.finish().status == 0)
    }

    @Test("a deleted companion keeps no reader from the newest state for long")
    func lostCompanion() throws {
        let vault = try TestVault()
        let store = vault.store
        try store.set("first", forKey: "name")
        let other = try SubjectProcess(["obey", vault.path, vault.keyPath])
        #expect(other.ask("get name") == "first")
        unlink(vault.companionPath)
        #expect(other.ask("set name second") == "done")
        let end = ContinuousClock.now + .seconds(5)
        while try store.string(forKey: "name") != "second", ContinuousClock.now < end {}
        #expect(try store.string(forKey: "name") == "second")
        try store.set("third", forKey: "name")
        #expect(other.ask("get name") == "third")
        #expect(other.finish().status == 0)
    }

    @Test("a child that was forked without exec is refused everything, and frees nothing of its parent")
    func fork() throws {
        let vault = try TestVault()
        let result = try SubjectProcess.run("fork", vault.path, vault.keyPath)
        #expect(result.lines == ["child 0", "value", "lock lockTimedOut"])
        #expect(result.status == 0)
    }
}

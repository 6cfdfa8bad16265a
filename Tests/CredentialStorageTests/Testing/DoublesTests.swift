internal import CredentialStorage
internal import CredentialStorageTesting
internal import FoundationEssentials
internal import Testing

@Suite("Doubles")
struct DoublesTests {
    private let memory = StorageBuilder.InMemory().build()

    @Test("the doubles keep the contracts of their base", .timeLimit(.minutes(10)))
    func contracts() async throws {
        let settings = ContractSettings(entryCount: 50, rounds: 20, deadline: .seconds(300))
        let memory = { StorageBuilder.InMemory().build() }
        try await StorageContract.checkAll(settings: settings) { RecordingStorage(memory()) }
        try await AtomicStorageContract.checkAll(settings: settings) { RecordingStorage(memory()) }
        try await TransactionalStorageContract.checkAll(settings: settings) { RecordingStorage(memory()) }
        try await StorageContract.checkAll(settings: settings) { FaultInjectingStorage(memory()) }
        try await AtomicStorageContract.checkAll(settings: settings) { FaultInjectingStorage(memory()) }
        try await TransactionalStorageContract.checkAll(settings: settings) { FaultInjectingStorage(memory()) }
    }

    @Test("the doubles conform to the stronger protocols exactly where their base does")
    func conformances() throws {
        let plain = BrokenStorage(nil)
        let strong: [any Storage] = [RecordingStorage(memory), FaultInjectingStorage(memory)]
        let weak: [any Storage] = [RecordingStorage(plain), FaultInjectingStorage(plain)]
        for storage in strong {
            #expect(storage is any AtomicStorage)
            #expect(storage is any TransactionalStorage)
            let inspectable = try #require(storage as? any InspectableStorage)
            #expect(inspectable.backend == .memory)
            #expect(try inspectable.protection.device == .process)
            #expect(inspectable.probe() == .usable)
        }
        for storage in weak {
            #expect(!(storage is any AtomicStorage))
            #expect(!(storage is any TransactionalStorage))
            #expect(!(storage is any InspectableStorage))
        }
        strong.compactMap { $0 as? any InspectableStorage }.first?.close()
        #expect(throws: StorageFault.unavailable(.closed).during(.read)) { try memory.get("name") }
    }

    @Test("a recording holds the calls in order, with names and without values")
    func recording() throws {
        let storage = RecordingStorage(memory)
        let canary = Canary()
        try storage.set(canary.value, forKey: "a")
        try storage.setSecret(canary.value.span, forKey: "b")
        _ = try storage.get("a")
        _ = try storage.withSecret(forKey: "b") { _ in try storage.keys() }
        _ = try storage.readAll()
        _ = try storage.compareAndSet("a", expected: canary.value, new: nil)
        try storage.acquireLock("lock", timeout: .zero).release()
        try storage.update { try $0.set(canary.value, forKey: "c") }
        try storage.delete("b")
        try storage.deleteAll()
        let expected = [
            StorageCall(.set, "a"), StorageCall(.setSecret, "b"), StorageCall(.get, "a"), StorageCall(.withSecret, "b"),
            StorageCall(.keys), StorageCall(.readAll), StorageCall(.compareAndSet, "a"),
            StorageCall(.acquireLock, "lock"), StorageCall(.update), StorageCall(.delete, "b"), StorageCall(.deleteAll),
        ]
        #expect(storage.calls == expected)
        #expect(canary.leaks(in: storage.calls as Any).isEmpty)
        storage.removeAllCalls()
        #expect(storage.calls.isEmpty)
    }

    @Test("a recording holds calls that fail, and tells two forms of one letter apart")
    func recordingFailures() {
        let storage = RecordingStorage(memory)
        #expect(throws: StorageError.self) { try storage.get("") }
        #expect(storage.calls == [StorageCall(.get, "")])
        #expect(StorageCall(.get, "caf\u{E9}") != StorageCall(.get, "cafe\u{301}"))
        #expect(Set([StorageCall(.get, "caf\u{E9}"), StorageCall(.get, "cafe\u{301}")]).count == 2)
        #expect(StorageCall(.get, nil) != StorageCall(.get, ""))
        #expect("\(StorageCall(.get, "a"))" == "get(\"a\")")
        #expect("\(StorageCall(.keys))" == "keys()")
    }

    @Test("exactly the chosen call fails, before the base did it")
    func failBefore() throws {
        let storage = FaultInjectingStorage(memory)
        storage.fail(StorageFailure(.set, at: 2, error: .conflict))
        try storage.set(Data([1]), forKey: "name")
        _ = try storage.get("name")
        #expect(throws: StorageError.writeError(cause: .conflict)) { try storage.set(Data([2]), forKey: "name") }
        #expect(try storage.get("name") == Data([1]))
        try storage.set(Data([3]), forKey: "name")
        #expect(try storage.get("name") == Data([3]))
        #expect(storage.injected == [StorageCall(.set, "name")])
        #expect(storage.callCount == 6)
    }

    @Test("a call that fails after the base did it has happened")
    func failAfter() throws {
        let storage = FaultInjectingStorage(memory)
        let notConfirmed = StorageError.writeError(
            cause: .unavailable(operation: .write, category: .notConfirmed, code: .none))
        storage.fail(StorageFailure(.set, .once, .afterTheBase, error: notConfirmed))
        #expect(throws: notConfirmed) { try storage.set(Data([1]), forKey: "name") }
        #expect(try storage.get("name") == Data([1]))
    }

    @Test("a failure from there on lasts until it is stopped, and each kind gets its own wrapper")
    func failFromThereOn() throws {
        let storage = FaultInjectingStorage(memory)
        storage.fail(StorageFailure(at: 2, .fromThereOn))
        try storage.set(Data([1]), forKey: "name")
        let ioError = StorageFault.unavailable(.ioError)
        #expect(throws: ioError.during(.read)) { try storage.get("name") }
        #expect(throws: ioError.during(.write)) { try storage.set(Data([2]), forKey: "name") }
        #expect(throws: ioError.during(.write)) { try storage.update { _ in } }
        #expect(throws: ioError.during(.delete)) { try storage.delete("name") }
        #expect(throws: ioError.during(.read)) { try storage.acquireLock("lock", timeout: .zero) }
        storage.stopFailing()
        #expect(try storage.get("name") == Data([1]))
    }

    @Test("a sweep fails every call in every way, and shows a scenario that is not safe")
    func sweep() throws {
        var unsound: [String] = []
        let runs = try FaultSweep { StorageBuilder.InMemory().build() }.run { storage in
            // Moves an entry in the wrong order: a failure in the middle loses it.
            let value = Data([1])
            try storage.delete("old")
            try storage.set(value, forKey: "new")
        } check: { run, storage in
            if try storage.get("new") == nil { unsound.append("\(run)") }
            #expect(run.injected.isEmpty == (run.thrown == nil))
        }
        // Two calls, failed once and from there on, before and after the base did it.
        #expect(runs == 8)
        #expect(unsound.count == 6)
        #expect(unsound.contains("call 2, set(\"new\"), failed once, before the base did it"))
    }

    @Test("a sweep ends although the scenario swallows its failures, and passes on what the untouched run throws")
    func sweepEnds() throws {
        let sweep = FaultSweep(mostCalls: 5) { StorageBuilder.InMemory().build() }
        let swallowed = try sweep.run {
            _ = try? $0.keys()
        } check: { run, _ in
            #expect(run.thrown == nil)
        }
        #expect(swallowed == 4)
        #expect(throws: StorageError.readError(cause: .invalidEntryKey)) {
            try sweep.run {
                _ = try? $0.keys(); _ = try $0.get("")
            } check: { _, _ in
            }
        }
        #expect(throws: ContractViolation.self) {
            try sweep.run { storage in
                for _ in 0..<6 { _ = try? storage.keys() }
            } check: { _, _ in
            }
        }
    }

    @Test("a sweep of one kind fails that kind only, with the given error")
    func sweepOfOneKind() async throws {
        let sweep = FaultSweep(failing: .set, with: .providerCannotHold, at: [.beforeTheBase]) {
            StorageBuilder.InMemory().build()
        }
        let runs = try await sweep.runAsync { storage in
            _ = try await storage.keys()
            try await storage.set(Data([1]), forKey: "a")
        } check: { run, storage in
            let names = try await storage.keys()
            #expect(names.isEmpty == !run.injected.isEmpty)
            if let thrown = run.thrown {
                #expect(thrown as? StorageError == .writeError(cause: .providerCannotHold))
            }
        }
        #expect(runs == 2)
    }

    @Test("a script answers in order, and nothing is left at its end")
    func script() throws {
        let locked = StorageError.unavailable(operation: .read, category: .locked, code: .none)
        let bulk = BulkRead(entries: [], omitted: [OmittedEntry(key: "bad", reason: .damaged)])
        let storage = ScriptedStorage([
            .failure(.get, "token", throws: locked), .get("token", returns: Data([1])), .get(returns: nil),
            .get("token", returns: Data([2])), .set(), .set("token"), .delete("token", returns: true),
            .delete(returns: false), .readAll(returns: bulk), .keys(returns: ["b", "a"]), .deleteAll,
            .compareAndSet("token", returns: false), .compareAndSet(returns: true), .acquireLock("lock"),
            .failure(.setSecret, throws: .writeError(cause: .conflict)),
        ])
        #expect(throws: StorageError.readError(cause: locked)) { try storage.get("token") }
        #expect(try storage.get("token") == Data([1]))
        #expect(try storage.get("anything") == nil)
        #expect(try storage.withSecret(forKey: "token") { $0?.count } == 1)
        try storage.set(Data(), forKey: "anything")
        try storage.set("text", forKey: "token")
        #expect(try storage.delete("token"))
        #expect(try !storage.delete("token"))
        #expect(try storage.readAll().omitted.count == 1)
        #expect(try storage.keys() == ["b", "a"])
        try storage.deleteAll()
        #expect(try !storage.compareAndSet("token", expected: nil, new: nil))
        #expect(try storage.compareAndSet("token", expected: nil, new: nil))
        try storage.withLock("lock", timeout: .zero) {}
        #expect(storage.remaining == 1)
        #expect(throws: StorageError.writeError(cause: .conflict)) {
            try storage.setSecret(Data().span, forKey: "token")
        }
        #expect(storage.remaining == 0)
    }

    @Test("a call that is not the next of the script, or comes after its end, is an error and an issue")
    func mismatch() throws {
        typealias Mismatch = ScriptedStorage.ScriptMismatch
        let cases: [(script: [ScriptedAnswer], expected: StorageCall?)] = [
            ([], nil), ([.set("a")], StorageCall(.set, "a")), ([.get("b", returns: nil)], StorageCall(.get, "b")),
            ([.get("cafe\u{301}", returns: nil)], StorageCall(.get, "cafe\u{301}")),
        ]
        for (script, expected) in cases {
            let name = "caf\u{E9}"
            let mismatch = Mismatch(call: StorageCall(.get, name), expected: expected)
            withKnownIssue {
                #expect(throws: mismatch) { try ScriptedStorage(script).get(name) }
            } matching: {
                $0.error as? Mismatch == mismatch
            }
        }
        let atEnd = Mismatch(call: StorageCall(.keys), expected: nil)
        #expect("\(atEnd)" == "keys() was called after the end of the script")
    }
}

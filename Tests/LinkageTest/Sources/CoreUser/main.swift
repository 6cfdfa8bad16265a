import CredentialStorage
import FoundationEssentials

// The public names of the core, used as a program outside the package uses them. It links the core alone.

func require(_ condition: Bool, _ what: String) {
    guard condition else { fatalError("not so: \(what)") }
}

func useStorage() throws {
    let own: any Storage = OwnStorage()
    require(try own.string(forKey: "present") == "value", "text comes back")
    require(try own.get("absent") == nil, "nil is proven absent")
    require(try own.withSecret(forKey: "present") { $0?.count } == 5, "the default form of withSecret works")
    let bulk = try own.readAll()
    require(bulk[key: "present"] == Data("value".utf8), "a bulk read is indexed by name")
    require(bulk.omitted.count == 2 && bulk.lost == 1 && !bulk.isComplete, "omissions are listed")
    require(try own.getAll().count == 1, "the convenience gives what opens")

    let prefixed = StorageBuilder.InMemory().build().prefixed("group/").observed { _ in }
    let transactional: any TransactionalStorage = prefixed
    try transactional.update { batch in try batch.set("one", forKey: "a") }
    require(try transactional.keys() == ["a"], "a wrapper keeps the conformances of its base")
}

func useMemory() throws {
    let memory = StorageBuilder.InMemory()
        .valueLimit(1 << 16)
        .lockedMemory(.preferred)
        .log(StorageLog(minimumLevel: .warning) { _ in })
        .build()
    let secret = SecureBuffer(copying: [1, 2, 3].span)
    try secret.withBytes { bytes in try memory.setSecret(bytes, forKey: "k") }
    require(try memory.compareAndSet("k", expected: Data([1, 2, 3]), new: nil), "compare and set")
    require(try memory.withLock("lock", timeout: .seconds(1)) { true }, "a named lock")
    require(memory.backend == .memory && memory.probe().isWritable, "a store says what it is")
    require(memory.protection.durability == .volatile, "and which protection it reached")
    memory.close()
    do {
        _ = try memory.get("k")
        fatalError("not so: a closed store throws")
    } catch {
        require(error.category == .closed, "the category is reached without a pattern")
        require(error.errorDescription != nil && error.recoverySuggestion != nil, "an error explains itself")
    }
}

/// Every cause by name; another package needs `@unknown default` and gets it accepted.
func exitCode(_ error: StorageError) -> Int {
    switch error.cause {
    case .unavailable(_, let category, let code): category == .locked ? 4 : Int(code.number)
    case .undecryptable(let reason): reason == .locked ? 4 : 7
    case .wrongKey: 8
    case .damaged, .notAStore, .unsupportedVersion, .parametersOutOfRange: 7
    case .invalidEntryKey, .invalidService, .valueTooLarge, .unsupported: 2
    case .ambiguous, .conflict, .lastKeySlot: 10
    case .providerCannotHold: 5
    case .readError, .writeError, .deleteError: fatalError("not so: a cause is never a wrapper")
    @unknown default: 70
    }
}

func useAsync() async throws {
    let storage: any AtomicStorage = StorageBuilder.InMemory().build()
    try await storage.set(Data("v".utf8), forKey: "k")
    require(try await storage.get("k") == Data("v".utf8), "the async forms have the same names")
    require(try await storage.withLock("l", timeout: .seconds(1)) { () async in 1 } == 1, "an async body under a lock")
}

try useStorage()
try useMemory()
try await useAsync()
try await useTokens()
require(exitCode(.readError(cause: .wrongKey)) == 8, "causes are told apart")
print("CoreUser: right")

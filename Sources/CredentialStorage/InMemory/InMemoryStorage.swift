internal import CCredentialShims
public import FoundationEssentials

/// A store whose values live in this process's memory and end with it.
///
/// Values are kept in guarded memory that is left out of core dumps and locked where the system allows it; see
/// ``protection``. It is atomic and transactional, and it is never chosen for you: only
/// ``StorageBuilder/InMemory`` makes one.
///
/// Thread-safe. Reading one entry costs a look-up and a copy.
public final class InMemoryStorage: TransactionalStorage, InspectableStorage {
    private struct State {
        var values: [EntryKey: SharedSecret] = [:]
        var isClosed = false
    }

    private let options: StorageBuilder.InMemory
    private let arena = SecureArena()
    private let state = Locked(State())
    private let locks = NamedLocks()
    /// Taken by every writer before `state`, so that a transaction's body can run without holding `state`.
    private let writer = WriterTurn()

    init(_ options: StorageBuilder.InMemory) { self.options = options }

    /// Where this store reports omissions and warnings.
    public var log: StorageLog { options.log }

    /// Reads one entry.
    public func get(_ key: String) throws(StorageError) -> Data? {
        try performing(.read) { () throws(StorageFault) in
            try value(EntryKey(checking: key))?.bytes.withBytes { Data(copying: $0) }
        }
    }

    /// Reads one entry in locked memory; the body gets the store's own bytes, without a copy.
    public func withSecret<R>(forKey key: String, _ body: (Span<UInt8>?) throws -> R) throws -> R {
        let secret = try performing(.read) { () throws(StorageFault) in try value(EntryKey(checking: key)) }
        guard let secret else { return try body(nil) }
        return try secret.bytes.withBytes { try body($0) }
    }

    /// Inserts or replaces one entry.
    public func set(_ value: Data, forKey key: String) throws(StorageError) {
        try setSecret(value.span, forKey: key)
    }

    /// Inserts or replaces one entry.
    public func setSecret(_ bytes: Span<UInt8>, forKey key: String) throws(StorageError) {
        try performing(.write) { () throws(StorageFault) in
            let key = try EntryKey(checking: key)
            try check()
            let secret = try store(bytes)
            try change { state in state.values[key] = secret }
        }
    }

    /// Removes one entry.
    @discardableResult
    public func delete(_ key: String) throws(StorageError) -> Bool {
        try performing(.delete) { () throws(StorageFault) in
            let key = try EntryKey(checking: key)
            return try change { state in state.values.removeValue(forKey: key) != nil }
        }
    }

    /// Removes every entry.
    public func deleteAll() throws(StorageError) {
        try performing(.delete) { () throws(StorageFault) in try change { state in state.values.removeAll() } }
    }

    /// Reads everything, as of one moment.
    public func readAll() throws(StorageError) -> BulkRead {
        try performing(.read) { () throws(StorageFault) in
            let values = try snapshot().sorted { $0.key < $1.key }
            let entries = values.map { key, secret in
                Entry(key: key.name, value: secret.bytes.withBytes { Data(copying: $0) })
            }
            return BulkRead(ordered: entries, omitted: [], lost: 0)
        }
    }

    /// Lists the names.
    public func keys() throws(StorageError) -> [String] {
        try performing(.read) { () throws(StorageFault) in try snapshot().keys.sorted().map(\.name) }
    }

    /// Changes one entry only if it still has the expected value.
    public func compareAndSet(_ key: String, expected: Data?, new: Data?) throws(StorageError) -> Bool {
        try performing(.write) { () throws(StorageFault) in
            let key = try EntryKey(checking: key)
            try check()
            var secret: SharedSecret?
            if let new { secret = try store(new.span) }
            return try change { state in
                let present = state.values[key]
                let matches =
                    switch (present, expected) {
                    case (nil, nil): true
                    case (let present?, let expected?): present.bytes.isEqual(to: expected.span)
                    default: false
                    }
                if matches { state.values[key] = secret }
                return matches
            }
        }
    }

    /// Takes a named lock inside this process.
    public func acquireLock(_ name: String, timeout: Duration) throws(StorageError) -> StorageLock {
        try performing(.read) { () throws(StorageFault) in
            let name = try EntryKey(checking: name)
            try check()
            return try locks.acquire(name, timeout: timeout)
        }
    }

    /// Changes several entries: all of them, or none.
    public func update(_ body: (inout StorageBatch) throws -> Void) throws {
        try performing(.write) { () throws(StorageFault) in
            try check()
            try writer.begin()
        }
        defer { writer.end() }
        let before = try performing(.write) { () throws(StorageFault) in try snapshot() }
        var batch = StorageBatch { key in before[key]?.bytes.withBytes { Data(copying: $0) } }
        try body(&batch)
        try performing(.write) { () throws(StorageFault) in
            var changes: [(EntryKey, SharedSecret?)] = []
            for change in batch.changes {
                var secret: SharedSecret?
                if let value = change.value { secret = try store(value.span) }
                changes.append((change.key, secret))
            }
            try state.withLock { (state: inout State) throws(StorageFault) in
                guard !state.isClosed else { throw .unavailable(.closed) }
                for (key, secret) in changes { state.values[key] = secret }
            }
        }
    }

    /// The kind of this store.
    public var backend: StorageBackend { .memory }

    /// Memory only; whether all of it is locked is told as of now.
    public var protection: Protection {
        // A forked child inherits no memory locks, and must not wait for a mutex that nobody will ever unlock.
        let memory = ForkGuard.isOriginalProcess ? arena.lockState : .notLocked
        return Protection(source: .none, device: .process, memory: memory, durability: .volatile)
    }

    /// Usable until it is closed.
    public func probe() -> StorageProbe {
        do throws(StorageError) {
            try performing(.read) { () throws(StorageFault) in try check() }
            return .usable
        } catch {
            return StorageProbe(
                isReachable: false, isLocked: nil, isReadable: false, isWritable: false, reason: error)
        }
    }

    /// Returns at once: memory is never locked away.
    public func waitUntilAvailable() async throws(StorageError) {
        try performing(.read) { () throws(StorageFault) in try check() }
    }

    /// Wipes every value.
    ///
    /// Every later call throws ``UnavailableCategory/closed``.
    public func close() {
        guard ForkGuard.isOriginalProcess else { return }
        state.withLock { state in
            state.isClosed = true
            state.values.removeAll()
        }
    }

    private func check() throws(StorageFault) {
        try ForkGuard.check()
        try StorageCancellation.check()
        let isClosed = state.withLock { $0.isClosed }
        guard !isClosed else { throw .unavailable(.closed) }
    }

    private func value(_ key: EntryKey) throws(StorageFault) -> SharedSecret? {
        try ForkGuard.check()
        return try state.withLock { (state: inout State) throws(StorageFault) in
            guard !state.isClosed else { throw .unavailable(.closed) }
            return state.values[key]
        }
    }

    private func snapshot() throws(StorageFault) -> [EntryKey: SharedSecret] {
        try check()
        return state.withLock { $0.values }
    }

    /// Copies a value; only after `check()`, because the arena has a mutex that may be locked for ever after a fork.
    private func store(_ bytes: Span<UInt8>) throws(StorageFault) -> SharedSecret {
        guard bytes.count <= options.valueLimit else { throw .cause(.valueTooLarge(limit: options.valueLimit)) }
        let buffer = try SecureBuffer(copying: bytes, in: arena)
        if options.lockedMemory == .required, !buffer.isLocked { throw .unavailable(.memoryNotLocked) }
        return SharedSecret(buffer)
    }

    private func change<R>(_ body: (inout State) -> R) throws(StorageFault) -> R {
        try check()
        try writer.begin()
        defer { writer.end() }
        return try state.withLock { (state: inout State) throws(StorageFault) in
            guard !state.isClosed else { throw .unavailable(.closed) }
            return body(&state)
        }
    }
}

extension InMemoryStorage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "InMemoryStorage" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

public import CredentialStorage
public import FoundationEssentials

/// The store that the machine offers and the policy allows, chosen once per service.
///
/// Before the first write of a service nothing is stored anywhere, and reads answer so without asking anybody. Taking a
/// lock counts as a write. ``selection`` tells what is used and why.
///
/// Thread-safe. It costs what the chosen store costs. Made by ``/CredentialStorage/StorageBuilder/automatic(service:policy:)``.
public final class AutomaticStorage: AtomicStorage, InspectableStorage {
    private enum State {
        /// A store that nothing but a note or a look speaks for may be there.
        case open((choice: AutomaticChoice, base: any AtomicStorage & InspectableStorage)?)
        case settled(Chosen, any AtomicStorage & InspectableStorage)
        case closed
    }

    let chooser: Chooser
    private let state = Locked(State.open(nil))

    init(_ options: AutomaticOptions) { chooser = Chooser(options: options) }

    /// Where this store reports omissions and warnings.
    public var log: StorageLog { chooser.options.log }

    /// Reads one entry.
    public func get(_ key: String) throws(StorageError) -> Data? {
        if let value = try reading({ try $0.get(key) }) { return value }
        return try absent(key)
    }

    /// Reads one entry into locked memory, as the chosen store does it.
    public func withSecret<R>(forKey key: String, _ body: (Span<UInt8>?) throws -> R) throws -> R {
        guard let base = try performing(.read, { () throws(StorageFault) in try baseToRead() }) else {
            _ = try absent(key)
            return try body(nil)
        }
        return try base.withSecret(forKey: key, body)
    }

    /// Inserts or replaces one entry.
    public func set(_ value: Data, forKey key: String) throws(StorageError) {
        try writing(.write, key) { try $0.set(value, forKey: key) }
    }

    /// Inserts or replaces one entry.
    public func setSecret(_ bytes: Span<UInt8>, forKey key: String) throws(StorageError) {
        try writing(.write, key) { try $0.setSecret(bytes, forKey: key) }
    }

    /// Removes one entry.
    @discardableResult
    public func delete(_ key: String) throws(StorageError) -> Bool {
        let isDone = try using(.delete, try performing(.delete) { () throws(StorageFault) in try baseToRead() }) {
            try $0.delete(key)
        }
        if let isDone { return isDone }
        _ = try performing(.delete) { () throws(StorageFault) in try EntryKey(checking: key) }
        return false
    }

    /// Removes every entry.
    public func deleteAll() throws(StorageError) {
        _ = try using(.delete, try performing(.delete) { () throws(StorageFault) in try baseToRead() }) {
            try $0.deleteAll()
        }
    }

    /// Reads everything.
    public func readAll() throws(StorageError) -> BulkRead {
        try reading { try $0.readAll() } ?? BulkRead(entries: [])
    }

    /// Lists the names.
    public func keys() throws(StorageError) -> [String] {
        try reading { try $0.keys() } ?? []
    }

    /// Changes one entry only if it still has the expected value.
    public func compareAndSet(_ key: String, expected: Data?, new: Data?) throws(StorageError) -> Bool {
        try writing(.write, key) { try $0.compareAndSet(key, expected: expected, new: new) }
    }

    /// Takes a named lock among all users of the chosen store.
    public func acquireLock(_ name: String, timeout: Duration) throws(StorageError) -> StorageLock {
        try writing(.read, name) { try $0.acquireLock(name, timeout: timeout) }
    }

    /// Wipes keys and ends sessions.
    ///
    /// Every later call throws ``/CredentialStorage/UnavailableCategory/closed``.
    public func close() {
        let before = state.withLock { state in
            defer { state = .closed }
            return state
        }
        switch before {
        case .settled(_, let base), .open((_, let base)?): base.close()
        case .open(nil), .closed: break
        }
    }

    /// The settled choice with its store, or `nil` before the service's first write.
    func settled() throws(StorageFault) -> (Chosen, any AtomicStorage & InspectableStorage)? {
        switch state.withLock({ $0 }) {
        case .closed: throw .unavailable(.closed)
        case .settled(let chosen, let base): return (chosen, base)
        case .open:
            guard let chosen = try chooser.look(.none), chosen.isSettled else { return nil }
            return (chosen, try store(of: chosen))
        }
    }

    /// The store of a choice, the same one for everybody who asks; for good where more than a note speaks for it.
    func store(of chosen: Chosen) throws(StorageFault) -> any AtomicStorage & InspectableStorage {
        try state.withLock { (state) throws(StorageFault) in
            switch state {
            case .closed: throw .unavailable(.closed)
            case .settled(_, let base): return base
            case .open(let candidate):
                let base: any AtomicStorage & InspectableStorage
                if let candidate, candidate.choice == chosen.choice {
                    base = candidate.base
                } else {
                    base = try chooser.store(chosen.choice)
                }
                state = chosen.isFirm ? .settled(chosen, base) : .open((chosen.choice, base))
                return base
            }
        }
    }

    private func baseToRead() throws(StorageFault) -> (any AtomicStorage & InspectableStorage)? {
        if let (_, base) = try settled() { return base }
        // Entries may stand in the keyring from before there was an automatic choice.
        guard chooser.rules.mayBeginInKeyring, let chosen = try chooser.look(),
            chosen.choice == .secretService
        else { return nil }
        return try store(of: chosen)
    }

    private func writeToBegin(_ name: String) throws(StorageFault) -> FirstWrite {
        _ = try EntryKey(checking: name)
        switch state.withLock({ $0 }) {
        case .closed: throw .unavailable(.closed)
        case .settled(let chosen, _): return FirstWrite(chosen: chosen, note: nil)
        case .open: return try chooser.settle()
        }
    }

    private func absent(_ key: String) throws(StorageError) -> Data? {
        _ = try performing(.read) { () throws(StorageFault) in try EntryKey(checking: key) }
        return nil
    }

    private func reading<R>(_ body: (any AtomicStorage) throws -> R?) throws(StorageError) -> R? {
        try using(.read, try performing(.read) { () throws(StorageFault) in try baseToRead() }, body) ?? nil
    }

    private func writing<R>(
        _ operation: StorageOperation,
        _ name: String,
        _ body: (any AtomicStorage) throws -> R
    ) throws(StorageError) -> R {
        let write = try performing(operation) { () throws(StorageFault) in try writeToBegin(name) }
        do {
            return try write.run { try body(try store(of: write.chosen)) }
        } catch {
            throw StorageError.carrying(error, during: operation)
        }
    }

    private func using<R>(
        _ operation: StorageOperation,
        _ base: (any AtomicStorage & InspectableStorage)?,
        _ body: (any AtomicStorage) throws -> R
    ) throws(StorageError) -> R? {
        guard let base else { return nil }
        do {
            return try body(base)
        } catch {
            throw StorageError.carrying(error, during: operation)
        }
    }
}

extension AutomaticStorage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "AutomaticStorage(redacted)" }
    /// A fixed text.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

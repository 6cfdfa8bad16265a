internal import CredentialStorage
internal import FoundationEssentials

/// A key that stands as an entry in another store.
struct EntrySource: KeyProvider {
    let name: String
    let store: any Storage

    var kind: KeySlotKind { .entry }

    var isVolatile: Bool {
        guard let store = store as? any InspectableStorage else { return false }
        return (try? store.protection.durability) == .volatile
    }

    func key(for purpose: KeyPurpose, _ request: KeyRequest) throws(StorageFault) -> KeyMaterial {
        if let present = try present() { return KeyMaterial(present) }
        guard purpose != .open else { throw .unavailable(.keySourceMissing) }
        try make(try request.freshKey(), request)
        // Of two makers at once, one wins; and a store may not hold what it was given.
        guard let made = try present() else { throw .unavailable(.keySourceUnavailable) }
        return KeyMaterial(made)
    }

    func discard(_ request: KeyRequest) {
        guard let key = request.made.withLock({ $0 }), let store = store as? any AtomicStorage else { return }
        // Never one that somebody put in its place.
        _ = try? store.compareAndSet(name, expected: Self.value(of: key), new: nil)
    }

    private static func value(of key: SharedSecret) -> Data {
        key.bytes.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Data($0) } }
    }

    func obstacle() -> StorageFault? {
        guard let probe = (store as? any InspectableStorage)?.probe(), !probe.isReadable, let reason = probe.reason
        else { return nil }
        return Self.meaning(of: reason)
    }

    /// The key, or `nil` where the store proves that it has none.
    private func present() throws(StorageFault) -> SecureBuffer? {
        let entry = try asking { () throws -> SharedSecret? in
            try store.withSecret(forKey: name) { (bytes: Span<UInt8>?) throws -> SharedSecret? in
                guard let bytes else { return nil }
                return SharedSecret(try SecureBuffer(copying: bytes, in: .shared))
            }
        }
        guard let entry else { return nil }
        return try entry.bytes.withBytes { (bytes) throws(StorageFault) in
            guard bytes.count == Box.keyLength else { throw .unavailable(.keySourceUnavailable) }
            return try SecureBuffer(copying: bytes, in: .shared)
        }
    }

    /// Stores a key where none is.
    private func make(_ key: consuming SecureBuffer, _ request: KeyRequest) throws(StorageFault) {
        // Without a comparison in the store, two first starts could each seal under a key of its own.
        guard let store = store as? any AtomicStorage else { throw .unavailable(.keySourceMissing) }
        let key = SharedSecret(key)
        let isMine = try asking { () throws -> Bool in
            try store.compareAndSet(name, expected: nil, new: Self.value(of: key))
        }
        if isMine { request.made.withLock { $0 = key } }
    }

    private func asking<R>(_ body: () throws -> R) throws(StorageFault) -> R {
        do { return try body() } catch { throw Self.meaning(of: error) }
    }

    /// That the other store is locked or out of reach is the answer; what ails its entry is no fact about the vault.
    private static func meaning(of error: any Error) -> StorageFault {
        switch StorageFault.adopting(error) {
        case .unavailable(.foreign, _), .cause: .unavailable(.keySourceUnavailable)
        case let fault: fault
        }
    }
}

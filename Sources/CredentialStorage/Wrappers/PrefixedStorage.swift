public import FoundationEssentials

/// A part of a store: the entries whose names begin with a prefix, under the rest of their names.
///
/// ```swift
/// let mail = storage.prefixed("mail/")
/// try mail.set(password, forKey: "work")   // "mail/work" in the store
/// ```
///
/// The prefix is compared byte for byte, so a name that merely looks alike does not belong to it. A name that is
/// the prefix and nothing else does not belong to it either. Everything here, ``deleteAll()`` and locks included,
/// touches only what belongs to the prefix.
///
/// A prefix follows the rules of entry names. With one that breaks them every operation throws
/// ``StorageError/invalidEntryKey``, and so does a name that is too long together with the prefix.
///
/// It is atomic, transactional and inspectable exactly where its base is. For an `any Storage` there is
/// ``StorageBuilder/prefixed(_:over:)``.
public struct PrefixedStorage<Base: Storage>: Storage {
    let base: Base
    let prefix: Prefix

    init(_ base: Base, prefix: String) {
        self.base = base
        self.prefix = Prefix(prefix)
    }

    /// Where the base reports omissions and warnings.
    public var log: StorageLog { base.log }

    /// Reads one entry.
    public func get(_ key: String) throws(StorageError) -> Data? {
        let name = try prefix.joined(key, for: .read)
        return try StorageError.during(.read) { try base.get(name) }
    }

    /// Inserts or replaces one entry.
    public func set(_ value: Data, forKey key: String) throws(StorageError) {
        let name = try prefix.joined(key, for: .write)
        try StorageError.during(.write) { try base.set(value, forKey: name) }
    }

    /// Removes one entry.
    @discardableResult
    public func delete(_ key: String) throws(StorageError) -> Bool {
        let name = try prefix.joined(key, for: .delete)
        return try StorageError.during(.delete) { try base.delete(name) }
    }

    /// Reads everything under the prefix.
    ///
    /// Omissions without a name and losses are those of the whole base: each of them may have stood under the prefix,
    /// so to leave them out would be to call an entry absent that is not proven to be.
    public func readAll() throws(StorageError) -> BulkRead {
        try prefix.check(for: .read)
        let bulk = try StorageError.during(.read) { try base.readAll() }
        return BulkRead(
            entries: bulk.entries.compactMap { entry in
                prefix.stripped(entry.key).map { Entry(key: $0, value: entry.value) }
            },
            omitted: bulk.omitted.compactMap { omission in
                guard let key = omission.key else { return omission }
                return prefix.stripped(key).map { OmittedEntry(key: $0, reason: omission.reason) }
            },
            lost: bulk.lost)
    }

    /// Lists the names under the prefix, without it.
    public func keys() throws(StorageError) -> [String] {
        try prefix.check(for: .read)
        return try StorageError.during(.read) { try base.keys() }.compactMap(prefix.stripped)
    }

    /// Reads one entry in locked memory, as the base does it.
    public func withSecret<R>(forKey key: String, _ body: (Span<UInt8>?) throws -> R) throws -> R {
        let name = try prefix.joined(key, for: .read)
        var thrownByBody: (any Error)?
        do {
            return try base.withSecret(forKey: name) { bytes in
                do {
                    return try body(bytes)
                } catch {
                    thrownByBody = error
                    throw error
                }
            }
        } catch {
            throw thrownByBody ?? StorageError.carrying(error, during: .read)
        }
    }

    /// Inserts or replaces one entry, as the base does it.
    public func setSecret(_ bytes: Span<UInt8>, forKey key: String) throws(StorageError) {
        let name = try prefix.joined(key, for: .write)
        do {
            try base.setSecret(bytes, forKey: name)
        } catch {
            throw StorageError.carrying(error, during: .write)
        }
    }

    /// Removes every entry under the prefix; together, where the base can do that.
    public func deleteAll() throws(StorageError) {
        try prefix.check(for: .delete)
        try StorageError.during(.delete) {
            let names = try base.keys().filter { prefix.stripped($0) != nil }
            guard !names.isEmpty else { return }
            if let base = base as? any TransactionalStorage, try removed(names, from: base) { return }
            for name in names { try base.delete(name) }
        }
    }

    /// Removes names in one transaction.
    ///
    /// - Returns: `false` when there is no space for one; single removals may still work then.
    private func removed(_ names: [String], from base: any TransactionalStorage) throws -> Bool {
        do {
            try base.update { batch in
                for name in names { try batch.delete(name) }
            }
            return true
        } catch let error as StorageError where error.category == .noSpace {
            return false
        }
    }
}

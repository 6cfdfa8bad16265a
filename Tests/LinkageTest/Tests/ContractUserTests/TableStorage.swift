import CredentialStorage
import FoundationEssentials
import Synchronization

final class TableStorage: Storage {
    private let table = Mutex<[EntryKey: Data]>([:])

    func get(_ key: String) throws -> Data? {
        try StorageError.during(.read) {
            let key = try EntryKey(key)
            return table.withLock { $0[key] }
        }
    }

    func set(_ value: Data, forKey key: String) throws {
        try StorageError.during(.write) {
            let key = try EntryKey(key)
            guard value.count <= 1 << 20 else { throw StorageError.valueTooLarge(limit: 1 << 20) }
            table.withLock { $0[key] = value }
        }
    }

    func delete(_ key: String) throws -> Bool {
        try StorageError.during(.delete) {
            let key = try EntryKey(key)
            return table.withLock { $0.removeValue(forKey: key) != nil }
        }
    }

    func readAll() throws -> BulkRead {
        BulkRead(entries: table.withLock { $0.map { Entry(key: $0.key.name, value: $0.value) } })
    }

    func keys() throws -> [String] { table.withLock { $0.keys.sorted().map(\.name) } }
}

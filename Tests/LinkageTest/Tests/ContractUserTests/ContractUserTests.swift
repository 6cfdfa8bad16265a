import CredentialStorage
import CredentialStorageTesting
import FoundationEssentials
import Synchronization
import Testing

/// A store of somebody else's that keeps the contract.
final class TableStorage: Storage {
    private let table = Mutex<[EntryKey: Data]>([:])

    func get(_ key: String) throws -> Data? {
        let key = try reading { () throws(StorageError) in try EntryKey(key) }
        return table.withLock { $0[key] }
    }

    func set(_ value: Data, forKey key: String) throws {
        guard value.count <= 1 << 20 else { throw StorageError.writeError(cause: .valueTooLarge(limit: 1 << 20)) }
        do {
            let key = try EntryKey(key)
            table.withLock { $0[key] = value }
        } catch {
            throw StorageError.writeError(cause: error)
        }
    }

    func delete(_ key: String) throws -> Bool {
        do {
            let key = try EntryKey(key)
            return table.withLock { $0.removeValue(forKey: key) != nil }
        } catch {
            throw StorageError.deleteError(cause: error)
        }
    }

    func readAll() throws -> BulkRead {
        table.withLock { table in BulkRead(entries: table.map { Entry(key: $0.key.name, value: $0.value) }) }
    }

    func keys() throws -> [String] { table.withLock { $0.keys.sorted().map(\.name) } }

    private func reading<R>(_ body: () throws(StorageError) -> R) throws -> R {
        do throws(StorageError) {
            return try body()
        } catch {
            throw StorageError.readError(cause: error)
        }
    }
}

@Suite("The public contracts, run from outside the package")
struct ContractUserTests {
    @Test("a store of five members keeps every rule", .timeLimit(.minutes(2)), arguments: StorageContract.allCases)
    func ownStorage(_ rule: StorageContract) async throws {
        try await rule.check { TableStorage() }
    }

    @Test("the memory store keeps every rule for atomic stores", .timeLimit(.minutes(2)))
    func memory() async throws {
        try await AtomicStorageContract.checkAll { StorageBuilder.InMemory().build() }
    }
}

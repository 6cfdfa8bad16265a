import CredentialStorage
import FoundationEssentials

/// A store of somebody else's: the five members that have no default, and an error of its own.
struct OwnStorage: Storage {
    enum OwnError: Error { case unplugged }

    var isPlugged = true

    func get(_ key: String) throws -> Data? {
        guard isPlugged else { throw OwnError.unplugged }
        return key == "present" ? Data("value".utf8) : nil
    }

    func set(_ value: Data, forKey key: String) throws { throw OwnError.unplugged }

    func delete(_ key: String) throws -> Bool { false }

    func readAll() throws -> BulkRead {
        BulkRead(
            entries: [Entry(key: "present", value: Data("value".utf8))],
            omitted: [OmittedEntry(key: "broken", reason: .damaged), OmittedEntry(key: nil, reason: .keyLost)],
            lost: 1
        )
    }

    func keys() throws -> [String] { ["present"] }
}

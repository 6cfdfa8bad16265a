import CredentialStorage
import CredentialStorageTesting
import Foundation

@testable import CredentialStorageSealing

/// A key whose bytes are known: it counts from a number on.
func testKey(_ first: UInt8) throws -> SealingKey {
    let bytes = (0..<32).map { first &+ $0 }
    return try SealingKey(copying: bytes.span)
}

/// An atomic store without transactions, which can do something just before a call reaches its base.
struct AtomicOnlyStorage: InterceptingStorage, AtomicStorage {
    let base: InMemoryStorage
    var before: @Sendable (StorageCall) throws -> Void = { _ in }

    func intercept<R>(_ call: StorageCall, _ body: () throws -> R) throws -> R {
        try before(call)
        return try body()
    }
}

/// A store that is a store and no more.
struct PlainStorage: InterceptingStorage {
    let base: InMemoryStorage

    func intercept<R>(_ call: StorageCall, _ body: () throws -> R) throws -> R { try body() }
}

/// Randomness that gives the same bytes at each draw, as two clones of one machine may.
struct StuckRandomness: Randomness {
    func fill(_ target: UnsafeMutableRawBufferPointer) {
        for index in target.indices { target[index] = UInt8(truncatingIfNeeded: index) }
    }
}

extension Storage {
    /// The base's name and record of the only entry.
    func onlyRecord() throws -> (place: String, record: Data) {
        let entries = try readAll().entries
        guard entries.count == 1 else { throw StorageError.conflict }
        return (entries[0].key, entries[0].value)
    }

    /// Changes a record and makes its head's check right again.
    func forgeHead(_ place: String, _ change: (inout [UInt8]) -> Void) throws {
        guard var record = try get(place).map({ Array($0) }) else { throw StorageError.conflict }
        change(&record)
        let head = Array(record[..<SealedRecord.headLength])
        record.replaceSubrange(SealedRecord.checkPlace, with: SealedRecord.check(head.span))
        try set(Data(record), forKey: place)
    }
}

func unreadable(_ reason: UndecryptableReason) -> StorageError { .readError(cause: .undecryptable(reason)) }

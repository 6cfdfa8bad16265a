import CredentialStorage
import Foundation
import Testing

@testable import CredentialStorageSealing

@Suite("Sealed stores at the same time", .timeLimit(.minutes(2)))
struct SealedRaceTests {
    @Test("while programs seal under either of two keys, a count loses no step", arguments: [true, false])
    func countsUnderTwoKeys(_ hasTransactions: Bool) throws {
        let memory = StorageBuilder.InMemory().build()
        let base: any AtomicStorage = hasTransactions ? memory : AtomicOnlyStorage(base: memory)
        let keys = [try testKey(1), try testKey(2)]
        let stores = try [SealingKeys(keys[0], others: [keys[1]]), SealingKeys(keys[1], others: [keys[0]])].map {
            try #require(StorageBuilder.sealed(over: base, with: $0) as? any AtomicStorage)
        }
        let failures = Locked<[any Error]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            do {
                for _ in 0..<25 { try count(in: stores[index % 2]) }
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
        #expect(failures.withLock { $0.isEmpty })
        for store in stores { #expect(try store.string(forKey: "counter") == "100") }
        #expect(try memory.keys().count == 1)
    }

    private func count(in store: any AtomicStorage) throws {
        while true {
            let old = try store.string(forKey: "counter")
            let next = String((old.flatMap { Int($0) } ?? 0) + 1)
            if try store.compareAndSet("counter", expected: old.map { Data($0.utf8) }, new: Data(next.utf8)) { return }
        }
    }
}

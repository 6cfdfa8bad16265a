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

    @Test("beside programs that were not yet given the new key, a count loses no step", arguments: SealedNames.allCases)
    func countsWhileKeysAreHandedOut(_ names: SealedNames) throws {
        let base = AtomicOnlyStorage(base: StorageBuilder.InMemory().build())
        let stores = [SealingKeys(try testKey(1)), SealingKeys(try testKey(1), others: [try testKey(2)])].map {
            base.sealed(with: $0).names(names)
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
    }

    @Test("resealing beside writers under the new key loses none of their values")
    func resealsBesideWriters() throws {
        for kind in [true, false] {
            let memory = StorageBuilder.InMemory().build()
            for index in 0..<40 {
                try memory.sealed(with: SealingKeys(testKey(1))).set("old", forKey: "\(index)")
            }
            func run(_ base: some AtomicStorage) throws {
                let both = base.sealed(with: SealingKeys(try testKey(2), others: [try testKey(1)]))
                let new = base.sealed(with: SealingKeys(try testKey(2)))
                let failures = Locked<[any Error]>([])
                DispatchQueue.concurrentPerform(iterations: 3) { index in
                    do {
                        switch index {
                        case 0: try both.reseal()
                        case 1: for name in 0..<20 { try new.set("new", forKey: "\(name)") }
                        default: for name in 20..<40 { try both.set("new", forKey: "\(name)") }
                        }
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
                #expect(failures.withLock { $0.isEmpty })
                try both.reseal()
                #expect(try new.getAll().count == 40)
                #expect(try new.readAll().entries.allSatisfy { $0.value == Data("new".utf8) })
                #expect(try memory.keys().count == 40)
            }
            if kind { try run(memory) } else { try run(AtomicOnlyStorage(base: memory)) }
        }
    }

    private func count(in store: any AtomicStorage) throws {
        while true {
            let old = try store.string(forKey: "counter")
            let next = String((old.flatMap { Int($0) } ?? 0) + 1)
            if try store.compareAndSet("counter", expected: old.map { Data($0.utf8) }, new: Data(next.utf8)) { return }
        }
    }
}

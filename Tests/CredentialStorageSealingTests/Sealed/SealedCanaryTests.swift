import CredentialStorage
import CredentialStorageTesting
import Foundation
import Testing

@testable import CredentialStorageSealing

@Suite("What sealing lets out", .timeLimit(.minutes(2)))
struct SealedCanaryTests {
    private let canary = Canary()

    @Test("the base sees no value, no key, and with sealed names no name", arguments: SealedNames.allCases)
    func base(_ names: SealedNames) throws {
        let base = StorageBuilder.InMemory().build()
        let secret = Canary(name: String(repeating: "unused", count: 3), text: String(Canary().text.prefix(32)))
        let key = try SealingKey(copying: secret.value.span)
        let store = base.sealed(with: SealingKeys(key, others: [try testKey(1)])).names(names)
        try store.set(canary.value, forKey: canary.name)
        try store.setSecret(canary.value.span, forKey: canary.name + "secret")
        _ = try store.compareAndSet(canary.name, expected: canary.value, new: canary.value + canary.value)
        try store.update { try $0.set(canary.text, forKey: "batch" + canary.name) }
        try store.reseal()
        let entries = try base.readAll().entries
        #expect(entries.count == 3)
        for entry in entries {
            #expect(canary.leaks(in: entry.value).isEmpty && secret.leaks(in: entry.value).isEmpty)
            let leaks = canary.leaks(in: entry.key)
            #expect(names == .clear ? leaks == ["name as plain text"] : leaks.isEmpty, "\(leaks)")
            #expect(secret.leaks(in: entry.key).isEmpty)
        }
        let control = canary.leaks(in: Data(entries[0].value + canary.value))
        #expect(!control.isEmpty, "the search finds what is there")
    }

    @Test("no error, description or log shows a name, a value or a key; an omission is logged with its name")
    func renderings() throws {
        let log = Locked<[StorageLog.Record]>([])
        let sink = StorageLog { record in log.withLock { $0.append(record) } }
        let secret = Canary(name: String(repeating: "unused", count: 3), text: String(Canary().text.prefix(32)))
        let key = try SealingKey(copying: secret.value.span)
        var shown: [String] = []
        var errorCount = 0
        func provoke(_ body: () throws -> Any) {
            do {
                shown += Canary.renderings(of: try body())
            } catch {
                errorCount += 1
                shown += Canary.renderings(of: error)
            }
        }
        for names in SealedNames.allCases {
            let base = StorageBuilder.InMemory().log(sink).build()
            let store = base.sealed(with: SealingKeys(key)).names(names)
            let other = base.sealed(with: SealingKeys(try testKey(1), lost: [key.id])).names(names)
            try store.set(canary.value, forKey: canary.name)
            let place = try base.onlyRecord().place
            try base.set(base.onlyRecord().record.dropLast() + [0], forKey: place)
            for store in [store, other, store.valueLimit(1)] {
                provoke { try store.get(canary.name) as Any }
                provoke { try store.withSecret(forKey: canary.name) { _ in } }
                provoke { try store.compareAndSet(canary.name, expected: canary.value, new: nil) }
                provoke { try store.compareAndSet(canary.name, expected: nil, new: canary.value + canary.value) }
                provoke { try store.update { _ = try $0.get(canary.name) } }
                provoke { try store.set(canary.value, forKey: canary.name + "\0") }
                provoke { try store.readAll() }
                provoke { try store.reseal() }
                shown += Canary.renderings(of: store)
            }
            log.withLock { $0 = [] }
            #expect(try store.getAll().isEmpty)
            #expect(log.withLock { $0.map(\.entry) } == [canary.name])
            shown += log.withLock { $0.map(\.message) }
        }
        for subject in [key, SealingKeys(key), key.id, SealedNames.sealed] as [Any] {
            shown += Canary.renderings(of: subject)
        }
        provoke { try SealingKey(copying: Data(secret.value.dropLast()).span) }
        #expect(errorCount > 25)
        let text = Set(shown).sorted().joined(separator: "\n")
        #expect(canary.leaks(in: text).isEmpty && secret.leaks(in: text).isEmpty, "\(text)")
    }
}

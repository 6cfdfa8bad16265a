import CredentialStorage
import CredentialStorageFile
import Foundation

/// What a vault holds, and what it once held, against which a damaged copy of it is judged.
struct Truth: Sendable {
    var entries: [String: Data] = [:]
    /// Older values of each name; they may come back only where a loss is reported.
    var older: [String: [Data]] = [:]
    var deleted: Set<String> = []
    /// Names that never were there.
    let strangers = ["never", "nowhere"]

    mutating func set(_ value: String, _ name: String) {
        if let present = entries[name] { older[name, default: []].append(present) }
        entries[name] = Data(value.utf8)
        deleted.remove(name)
    }

    mutating func delete(_ name: String) {
        if let present = entries.removeValue(forKey: name) { older[name, default: []].append(present) }
        deleted.insert(name)
    }

    /// How an answer differs from what the file format promises; empty when it does not.
    ///
    /// Two promises can be relaxed or tightened: whether a loss without a name may bring an older state of an entry back,
    /// and whether each entry that does not open must be omitted by name. The names are asked for one by one, beside
    /// those that readAll does not give; all unless given.
    func violations(
        of store: some Storage,
        mayBeOlder: Bool = false,
        mustName: Bool = false,
        asking names: [String]? = nil
    ) -> [String] {
        var found: [String] = []
        let bulk: BulkRead
        do {
            bulk = try store.readAll()
        } catch {
            return isTyped(error) ? [] : ["a foreign error from readAll: \(error)"]
        }
        let hasLoss = bulk.lost > 0 || bulk.omitted.contains { $0.key == nil }
        let isOlderFine = mayBeOlder && hasLoss
        func isRight(_ value: Data, _ name: String) -> Bool {
            entries[name] == value || (isOlderFine && older[name, default: []].contains(value))
        }
        for entry in bulk.entries where !isRight(entry.value, entry.key) {
            found.append("readAll gives a wrong value for \(entry.key)")
        }
        let given = Set(bulk.entries.map(\.key))
        let omitted = Set(bulk.omitted.compactMap(\.key))
        for name in entries.keys where !given.contains(name) && !omitted.contains(name) {
            if mustName || !hasLoss { found.append("\(name) is neither given nor omitted by name") }
        }
        let missing = entries.keys.filter { !given.contains($0) }
        for name in (names ?? Array(entries.keys)) + missing + deleted + strangers {
            do {
                let value = try store.get(name)
                if let value, !isRight(value, name) { found.append("get gives a wrong value for \(name)") }
                if value == nil, entries[name] != nil { found.append("get says that \(name) is absent") }
                if (value != nil) != given.contains(name) { found.append("get and readAll differ on \(name)") }
            } catch {
                if !isTyped(error) { found.append("a foreign error from get: \(error)") }
                if given.contains(name) { found.append("readAll gives \(name) and get does not") }
            }
        }
        do {
            let keys = Set(try store.keys())
            for name in entries.keys where !keys.contains(name) { found.append("keys() lacks \(name)") }
            for name in keys where entries[name] == nil {
                if !omitted.contains(name) { found.append("keys() has \(name), which is gone") }
            }
        } catch {
            if !isTyped(error) { found.append("a foreign error from keys: \(error)") }
        }
        return found
    }

    private func isTyped(_ error: any Error) -> Bool {
        guard case .readError(let cause) = error as? StorageError else { return false }
        return cause == cause.cause
    }
}

/// A vault of twenty entries with a few replaced and deleted, and what is true about it.
func makeSample() throws -> (vault: TestVault, truth: Truth) {
    let vault = try TestVault()
    let store = vault.quickStore
    var truth = Truth()
    for index in 0..<20 {
        let (name, value) = ("account \(index)", "value of \(index) " + String(repeating: "x", count: index * 7))
        try store.set(value, forKey: name)
        truth.set(value, name)
    }
    for index in [3, 9, 15] {
        try store.set("second value of \(index)", forKey: "account \(index)")
        truth.set("second value of \(index)", "account \(index)")
    }
    for index in [4, 12] {
        try store.delete("account \(index)")
        truth.delete("account \(index)")
    }
    try store.update { batch in
        try batch.set("in a batch", forKey: "account 17")
        try batch.set("also in a batch", forKey: "account 18")
    }
    truth.set("in a batch", "account 17")
    truth.set("also in a batch", "account 18")
    try store.set("the last one", forKey: "account 19")
    truth.set("the last one", "account 19")
    return (vault, truth)
}

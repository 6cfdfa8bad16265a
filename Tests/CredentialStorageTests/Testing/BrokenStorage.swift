internal import CredentialStorage
internal import FoundationEssentials

/// A store of the five required members that does one thing wrong.
struct BrokenStorage: Storage {
    enum Fault: CaseIterable {
        case emptyIsAbsent, trimsNewline, repairsText, noLimit, wrongWrapper, bareError, acceptsNUL, acceptsLongNames
        case keyedByString, sortsByString, insertionOrder, deleteAlwaysTrue, deleteThrowsForAbsent, keepsFirst
        case prefixMatch, omitsFromBulk, leaksName, leaksValue, tornWrites, sharedBetweenStores, dropsSlash

        /// A part of the sentence of the rule that must notice the fault.
        var rule: String {
            switch self {
            case .emptyIsAbsent: "an empty value is a value"
            case .trimsNewline, .repairsText: "values are any bytes"
            case .noLimit: "over the limit is refused"
            case .wrongWrapper, .bareError, .acceptsNUL, .acceptsLongNames: "invalid name is refused by every member"
            case .keyedByString: "composed and decomposed"
            case .sortsByString, .insertionOrder: "in byte order"
            case .deleteAlwaysTrue, .deleteThrowsForAbsent: "delete of an absent entry"
            case .keepsFirst: "setting again replaces"
            case .prefixMatch: "never set is absent"
            case .omitsFromBulk: "readAll is complete"
            case .leaksName: "no error shows a name or a value"
            case .leaksValue: "no error shows a name or a value"
            case .tornWrites: "readers beside a writer see one of its values"
            case .sharedBetweenStores: "deleteAll empties this store and no other"
            case .dropsSlash: "names with slashes"
            }
        }
    }

    private struct Leak: Error { let text: String }

    private static let shared = Locked<[(name: String, value: Data)]>([])

    private let fault: Fault?
    private let entries: Locked<[(name: String, value: Data)]>

    init(_ fault: Fault?) {
        self.fault = fault
        entries = fault == .sharedBetweenStores ? Self.shared : Locked([])
    }

    func get(_ key: String) throws -> Data? {
        let key = try checked(key, .read)
        let value = entries.withLock { entries in entries.first { matches($0.name, key) }?.value }
        if fault == .emptyIsAbsent, value?.isEmpty == true { return nil }
        return value
    }

    func set(_ value: Data, forKey key: String) throws {
        let key = try checked(key, .write)
        if fault != .noLimit, value.count > 1 << 20 {
            if fault == .leaksValue { throw Leak(text: String(decoding: value.prefix(40), as: UTF8.self)) }
            throw StorageError.writeError(cause: .valueTooLarge(limit: 1 << 20))
        }
        var value = value
        if fault == .trimsNewline, value.last == 10 { value.removeLast() }
        if fault == .repairsText { value = Data(String(decoding: value, as: UTF8.self).utf8) }
        if fault == .tornWrites, value.count > 100 {
            put(value.prefix(100), key)
            pause(for: .microseconds(200))
        }
        put(value, key)
    }

    func delete(_ key: String) throws -> Bool {
        let key = try checked(key, .delete)
        let wasThere = entries.withLock { entries in
            guard let place = entries.firstIndex(where: { matches($0.name, key) }) else { return false }
            entries.remove(at: place)
            return true
        }
        if fault == .deleteThrowsForAbsent, !wasThere { throw StorageError.deleteError(cause: .conflict) }
        return wasThere || fault == .deleteAlwaysTrue
    }

    func readAll() throws -> BulkRead {
        var all = entries.withLock { $0 }.map { Entry(key: $0.name, value: $0.value) }
        if fault == .omitsFromBulk, all.count > 5 { all.removeLast() }
        return BulkRead(entries: all)
    }

    func keys() throws -> [String] {
        let names = entries.withLock { $0.map(\.name) }
        if fault == .insertionOrder { return names }
        if fault == .sortsByString { return names.sorted() }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func put(_ value: Data, _ key: String) {
        entries.withLock { entries in
            guard let place = entries.firstIndex(where: { matches($0.name, key) }) else {
                return entries.append((key, value))
            }
            if fault != .keepsFirst { entries[place].value = value }
        }
    }

    private func matches(_ left: String, _ right: String) -> Bool {
        switch fault {
        case .keyedByString: left == right
        case .prefixMatch: left.utf8.starts(with: right.utf8)
        default: left.utf8.elementsEqual(right.utf8)
        }
    }

    private func checked(_ name: String, _ operation: StorageOperation) throws -> String {
        let isValid =
            switch fault {
            case .acceptsNUL: !name.isEmpty && name.utf8.count <= 1024
            case .acceptsLongNames: !name.isEmpty && !name.utf8.contains(0)
            default: (try? EntryKey(name)) != nil
            }
        guard isValid else {
            switch fault {
            case .bareError: throw StorageError.invalidEntryKey
            case .wrongWrapper: throw StorageError.readError(cause: .invalidEntryKey)
            case .leaksName: throw Leak(text: name)
            default: throw StorageFault.invalidEntryKey.during(operation)
            }
        }
        return fault == .dropsSlash ? name.filter { $0 != "/" } + "." : name
    }
}

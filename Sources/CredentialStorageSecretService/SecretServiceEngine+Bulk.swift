#if SecretService
    internal import CredentialStorage
    internal import FoundationEssentials

    extension SecretServiceEngine {
        /// Reads everything.
        func readAll() throws(StorageFault) -> BulkRead {
            try perform { (context) throws(BusFailure) in
                let (items, dangling, next) = try context.list()
                let found = try BulkSecrets(context: next).read(items)
                var entries: [Entry] = []
                var omitted = (0..<dangling).map { _ in OmittedEntry(key: nil, reason: .damaged) }
                var count: [EntryKey: Int] = [:]
                for (key, _) in found { count[key, default: 0] += 1 }
                for (key, secret) in found {
                    switch secret {
                    case _ where count[key] != 1:
                        // Of two items with one name neither is the entry; the name is listed once.
                        guard count.removeValue(forKey: key) != nil else { continue }
                        omitted.append(OmittedEntry(key: key.name, reason: .damaged))
                    case .value(let secret):
                        entries.append(Entry(key: key.name, value: secret.bytes.withBytes { Data(copying: $0) }))
                    case .omitted(let reason): omitted.append(OmittedEntry(key: key.name, reason: reason))
                    }
                }
                return BulkRead(entries: entries, omitted: omitted)
            }
        }

        /// The names of all entries, the locked ones included.
        func keys() throws(StorageFault) -> [String] {
            try perform { (context) throws(BusFailure) in
                let (items, dangling, _) = try context.list()
                guard dangling == 0 else { throw .store(.undecryptable(.damaged)) }
                return Set(items.map(\.key)).sorted().map(\.name)
            }
        }
    }

    extension SecretServiceEngine.Context {
        typealias Listed = (key: EntryKey, item: ItemState)

        /// All items that are entries of this store, and how many that searches go on to name are not there.
        func list() throws(BusFailure) -> (items: [Listed], dangling: Int, next: Self) {
            var (collection, context, isFresh) = try openCollection()
            var hasUnlocked = isFresh
            var vanished: Set<ObjectPath> = []
            var isLastLook = false
            while true {
                let (paths, isLocked) = try context.find([identity.search], in: collection)
                if isLocked {
                    guard !hasUnlocked else { throw .unavailable(.locked) }
                    hasUnlocked = true
                    try context.unlock(collection)
                    context = context.renewed
                    continue
                }
                if paths.isEmpty, isFresh {
                    isFresh = false
                    continue
                }
                var items = try context.states(of: paths)
                if try context.unlockItems(among: items) {
                    context = context.renewed
                    items = try context.states(of: paths)
                }
                let missing = Set(items.filter { $0.properties == nil }.map(\.path))
                if !missing.isEmpty, !isLastLook {
                    // Removed between the two answers, most likely; then the next search does not name them.
                    vanished = missing
                    isLastLook = true
                    continue
                }
                let entries = items.compactMap { item -> Listed? in
                    guard let attributes = item.properties?.attributes, let key = identity.entry(attributes) else {
                        return nil
                    }
                    return (key, item)
                }
                if entries.isEmpty { try checkBinding() }
                return (entries, missing.intersection(vanished).count, context.renewed)
            }
        }

        /// Opens those of many items that are locked, by one prompt at most.
        ///
        /// - Returns: Whether any of them may be open now.
        private func unlockItems(among items: [ItemState]) throws(BusFailure) -> Bool {
            let locked = items.filter { item in
                guard let properties = item.properties, properties.isLocked else { return false }
                return identity.entry(properties.attributes) != nil
            }
            guard !locked.isEmpty else { return false }
            let unlocking = Unlocking(provider: provider, prompts: engine.options.prompts)
            return try unlocking.unlock(items: locked.map(\.path), until: deadline)
        }

        /// The properties of many items; each portion has a deadline of its own.
        func states(of paths: [ObjectPath]) throws(BusFailure) -> [ItemState] {
            var items: [ItemState] = []
            items.reserveCapacity(paths.count)
            for portion in paths.portions(of: 1_024) {
                let calls = portion.map { provider.properties(of: "Item", on: $0) }
                let results = try provider.exchange(calls, until: renewed.deadline)
                for (path, result) in zip(portion, results) { items.append(try ItemState(path, result)) }
            }
            return items
        }
    }

    extension Array {
        /// The elements in portions of at most this many.
        func portions(of size: Int) -> [ArraySlice<Element>] {
            stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
        }
    }
#endif

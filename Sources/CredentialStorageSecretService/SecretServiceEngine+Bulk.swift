#if SecretService
    internal import CredentialStorage
    internal import FoundationEssentials

    extension SecretServiceEngine {
        /// Reads everything.
        func readAll() throws(StorageFault) -> BulkRead {
            try perform { (context) throws(BusFailure) in
                let (items, dangling, next) = try context.list()
                let secrets = try next.secrets(of: items.map(\.item))
                var entries: [Entry] = []
                var omitted = (0..<dangling).map { _ in OmittedEntry(key: nil, reason: .damaged) }
                var seen: [EntryKey: Int] = [:]
                for (key, _) in items { seen[key, default: 0] += 1 }
                for (index, (key, _)) in items.enumerated() {
                    if seen[key] ?? 0 > 1 {
                        // Of two items with one name neither is the entry.
                        if seen.removeValue(forKey: key) != nil {
                            omitted.append(OmittedEntry(key: key.name, reason: .damaged))
                        }
                        continue
                    }
                    guard seen[key] != nil else { continue }
                    switch secrets[index] {
                    case .success(let secret):
                        entries.append(Entry(key: key.name, value: secret.bytes.withBytes { Data(copying: $0) }))
                    case .failure(let reason): omitted.append(OmittedEntry(key: key.name, reason: reason.reason))
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

    /// Why one of many secrets could not be read.
    struct Omission: Error, Sendable {
        let reason: UndecryptableReason
    }

    extension SecretServiceEngine.Context {
        typealias Listed = (key: EntryKey, item: ItemState)

        /// All items that are entries of this store, and how many that the search named are not there.
        func list() throws(BusFailure) -> (items: [Listed], dangling: Int, next: Self) {
            var (collection, context) = try openCollection()
            var isLastLook = false
            while true {
                let (paths, isLocked) = try context.find(identity.search, in: collection)
                if isLocked {
                    guard !isLastLook else { throw .unavailable(.locked) }
                    isLastLook = true
                    try context.unlock(collection)
                    context = context.renewed
                    continue
                }
                let items = try context.states(of: paths)
                let dangling = items.count { $0.properties == nil }
                if dangling > 0, !isLastLook {
                    // Removed between the two answers, most likely.
                    isLastLook = true
                    continue
                }
                let entries = items.compactMap { item -> Listed? in
                    guard let attributes = item.properties?.attributes, let key = identity.entry(attributes) else {
                        return nil
                    }
                    return (key, item)
                }
                return (entries, dangling, context.renewed)
            }
        }

        /// The properties of many items; each portion has a deadline of its own.
        private func states(of paths: [ObjectPath]) throws(BusFailure) -> [ItemState] {
            var items: [ItemState] = []
            items.reserveCapacity(paths.count)
            for portion in paths.portions(of: 1_024) {
                let calls = portion.map { provider.properties(of: "Item", on: $0) }
                let results = try provider.exchange(calls, until: renewed.deadline)
                for (path, result) in zip(portion, results) { items.append(try ItemState(path, result)) }
            }
            return items
        }

        /// The secrets of many items, in as few calls as their number allows.
        func secrets(of items: [ItemState]) throws(BusFailure) -> [Result<SharedSecret, Omission>] {
            let session = try session()
            var results: [Result<SharedSecret, Omission>] = []
            results.reserveCapacity(items.count)
            for portion in items.portions(of: 2_500) { results += try secrets(of: portion, session) }
            return results
        }

        /// One call for all; where it fails as a whole because of one of them, halves of it.
        private func secrets(
            of items: ArraySlice<ItemState>, _ session: SecretSession
        ) throws(BusFailure) -> [Result<SharedSecret, Omission>] {
            let open = items.filter { !($0.properties?.isLocked ?? true) }
            var found: [ObjectPath: BusValue] = [:]
            if !open.isEmpty { try collect(open[...], session, &found) }
            var results: [Result<SharedSecret, Omission>] = []
            for item in items {
                guard let value = found[item.path] else {
                    results.append(.failure(Omission(reason: item.properties?.isLocked ?? true ? .locked : .damaged)))
                    continue
                }
                do throws(BusFailure) {
                    let stored = try checked(try session.decode(value), of: item)
                    results.append(.success(StoredForm.decode(stored)))
                } catch {
                    guard error.kind != .noSession || found.count > 1 else { throw error }
                    results.append(.failure(Omission(reason: error.kind == .isLocked ? .locked : .damaged)))
                }
            }
            // That none of many decrypts is the session's fault, not theirs.
            if found.count > 0, session.isEncrypted, !results.contains(where: { (try? $0.get()) != nil }) {
                throw BusFailure(kind: .noSession)
            }
            return results
        }

        private func collect(
            _ items: ArraySlice<ItemState>, _ session: SecretSession, _ found: inout [ObjectPath: BusValue]
        ) throws(BusFailure) {
            let call = provider.call(
                "Service", "GetSecrets", on: .service, [.paths(items.map(\.path)), .path(session.path)])
            let result = try provider.exchange([call], until: renewed.deadline)[0]
            switch result {
            case .success(let values):
                guard case .dictionary(_, let pairs)? = values.first else { throw .malformed }
                for pair in pairs {
                    guard let path = pair.key.path else { throw .malformed }
                    found[path] = pair.value
                }
            case .failure(let failure) where failure.kind == .noSession: throw failure
            case .failure:
                guard items.count > 1 else { return }
                let middle = items.startIndex + items.count / 2
                try collect(items[items.startIndex..<middle], session, &found)
                try collect(items[middle..<items.endIndex], session, &found)
            }
        }
    }

    extension Array {
        /// The elements in portions of at most this many.
        func portions(of size: Int) -> [ArraySlice<Element>] {
            stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
        }
    }
#endif

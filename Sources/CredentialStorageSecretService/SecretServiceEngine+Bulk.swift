#if SecretService
    internal import CredentialStorage
    internal import FoundationEssentials

    extension SecretServiceEngine {
        /// Reads everything.
        func readAll() throws(StorageFault) -> BulkRead {
            try perform { (context) throws(BusFailure) in
                let (items, dangling, changes, next) = try context.list()
                let found = try BulkSecrets.read(items, since: changes, next)
                var entries: [Entry] = []
                var omitted = (0..<dangling).map { _ in OmittedEntry(key: nil, reason: .damaged) }
                var count: [EntryKey: Int] = [:]
                for (key, _) in found { count[key, default: 0] += 1 }
                var patience = next.renewed.deadline.patience(atMost: Patience.ofReaders)
                for (key, secret) in found {
                    var secret: BulkSecrets.Secret? = secret
                    if count[key] != 1 {
                        // Of two items with one name neither is the entry; the name is listed once.
                        guard count.removeValue(forKey: key) != nil else { continue }
                        secret = try next.renewed.readTwins(key, &patience)
                    }
                    switch secret {
                    case .value(let secret):
                        entries.append(Entry(key: key.name, value: secret.bytes.withBytes { Data(copying: $0) }))
                    case .omitted(let reason): omitted.append(OmittedEntry(key: key.name, reason: reason))
                    case nil: break
                    }
                }
                return BulkRead(entries: entries, omitted: omitted)
            }
        }

        /// The names of all entries, the locked ones included.
        func keys() throws(StorageFault) -> [String] {
            try perform { (context) throws(BusFailure) in
                let (items, dangling, _, _) = try context.list()
                guard dangling == 0 else { throw .store(.undecryptable(.damaged)) }
                return Set(items.map(\.key)).sorted().map(\.name)
            }
        }
    }

    extension SecretServiceEngine.Context {
        typealias Listed = (key: EntryKey, path: ObjectPath)

        /// All items that are entries of this store, how many that searches go on to name are not there, and how many signals
        /// of changes there had been when it was known of none of them yet.
        func list() throws(BusFailure) -> (items: [Listed], dangling: Int, changes: Int, next: Self) {
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
                let changes = provider.items.changes
                let meanings = try meanings(of: paths, in: collection)
                let missing = Set(paths.filter { meanings[$0] == nil })
                if !missing.isEmpty, !isLastLook {
                    // Removed between the two answers, most likely; then the next search does not name them.
                    vanished = missing
                    isLastLook = true
                    context = context.renewed
                    continue
                }
                let entries = paths.compactMap { path -> Listed? in
                    guard case .entry(let key)? = meanings[path] else { return nil }
                    return (key, path)
                }
                return (entries, missing.intersection(vanished).count, changes, context.renewed)
            }
        }

        /// Reads an entry of which there are two items, or were a moment ago; `nil` where there is none any more.
        fileprivate func readTwins(
            _ key: EntryKey, _ patience: inout Patience
        ) throws(BusFailure) -> BulkSecrets.Secret? {
            let (collection, context, isFresh) = try openCollection()
            do throws(BusFailure) {
                return try context.read(key, in: collection, isFresh: isFresh, &patience).map { .value($0) }
            } catch {
                switch error.decided {
                case .cause(.ambiguous): return .omitted(.ambiguous)
                case .cause(.undecryptable(let reason)): return .omitted(reason)
                default: throw error
                }
            }
        }

        /// What items are; those that are not there are left out.
        ///
        /// Where the provider tells of every change, only those are asked for that are not known yet.
        private func meanings(
            of paths: [ObjectPath], in collection: ObjectPath
        ) throws(BusFailure) -> [ObjectPath: KnownItems.Meaning] {
            var isTold = provider.tellsEveryChange
            if isTold { isTold = try compareAge(of: collection) }
            var meanings = isTold ? provider.items.meanings(of: paths) : [:]
            for portion in paths.filter({ meanings[$0] == nil }).portions(of: 1_024) {
                let (changes, moment) = (provider.items.changes, ContinuousClock.now)
                let results = try provider.exchange(portion.map(provider.attributes)) { renewed.deadline }
                var found: [ObjectPath: KnownItems.Meaning] = [:]
                for (path, result) in zip(portion, results) {
                    guard let attributes = try ItemState(path, result).attributes else { continue }
                    found[path] = identity.entry(attributes).map { .entry($0) } ?? .foreign
                }
                if isTold { provider.items.note(found, since: changes, at: moment) }
                meanings.merge(found) { $1 }
            }
            return meanings
        }

        /// Lets go of what is known of a collection's items where it says that it was changed since they were asked for.
        ///
        /// - Returns: `false` where it does not say when that was.
        private func compareAge(of collection: ObjectPath) throws(BusFailure) -> Bool {
            let question = provider.property("Modified", of: "Collection", on: collection)
            let answer = try provider.exchange([question], until: renewed.deadline)[0]
            guard case .success(let values) = answer, case .unsigned(let moment)? = values.first?.inside else {
                return false
            }
            provider.items.expect(collection, changedAt: moment)
            return true
        }

        /// Opens all entries, by one prompt at most.
        ///
        /// - Throws: That one of them stays locked.
        func unlockItems(in collection: ObjectPath) throws(BusFailure) {
            let locked = try lockedItems(in: collection)
            guard !locked.isEmpty else { return }
            _ = try renewed.unlock(among: locked[...])
            guard try renewed.lockedItems(in: collection).isEmpty else { throw .store(.undecryptable(.locked)) }
        }

        /// The entries that the provider keeps locked in an open collection.
        private func lockedItems(in collection: ObjectPath) throws(BusFailure) -> [Listed] {
            let search = BusValue.dictionary(of: "ss", identity.search.map { (.string($0.key), .string($0.value)) })
            let reply = try provider.answer(
                provider.call("Service", "SearchItems", on: .service, [search]), until: deadline)
            guard reply.count == 2, let locked = reply[1].paths else { throw .malformed }
            let paths = locked.filter { $0.parent == collection }
            var found: [Listed] = []
            for (item, _) in try look(at: paths) {
                guard let key = item.attributes.flatMap(identity.entry) else { continue }
                found.append((key, item.path))
            }
            return found
        }

        /// Opens those of many items that are locked, by one prompt at most.
        ///
        /// - Returns: Whether any of them may be open now.
        func unlock(among items: ArraySlice<Listed>) throws(BusFailure) -> Bool {
            var locked: [ObjectPath] = []
            for (item, isLocked) in try look(at: items.map(\.path)) where isLocked { locked.append(item.path) }
            guard !locked.isEmpty else { return false }
            let unlocking = Unlocking(provider: provider, prompts: engine.options.prompts)
            return try unlocking.unlock(items: locked, until: renewed.deadline)
        }
    }

    extension RandomAccessCollection where Index == Int {
        /// The elements in portions of at most this many.
        func portions(of size: Int) -> [SubSequence] {
            stride(from: startIndex, to: endIndex, by: size).map { self[$0..<Swift.min($0 + size, endIndex)] }
        }
    }
#endif

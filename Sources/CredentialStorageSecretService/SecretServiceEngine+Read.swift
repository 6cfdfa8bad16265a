#if SecretService
    internal import CredentialStorage

    extension SecretServiceEngine {
        /// The value of an entry; `nil` only where the collection is open and has no such item.
        func read(_ key: EntryKey) throws(StorageFault) -> SharedSecret? {
            try perform { (context) throws(BusFailure) in try context.read(key) }
        }
    }

    extension SecretServiceEngine.Context {
        func read(_ key: EntryKey) throws(BusFailure) -> SharedSecret? {
            if let path = engine.cache.path(of: key, with: provider) {
                if let value = try readCached(key, at: path) { return value }
                engine.cache.forget(key)
            }
            let (collection, context, isFresh) = try openCollection()
            var patience = context.deadline.patience(atMost: Patience.ofReaders)
            return try context.read(key, in: collection, isFresh: isFresh, &patience)
        }

        /// Reads an entry where it was last found, and checks in the same round trip that it is still there.
        ///
        /// - Returns: `nil` where another item stands there now, or none, or one that is locked.
        private func readCached(_ key: EntryKey, at path: ObjectPath) throws(BusFailure) -> SharedSecret? {
            let session = try session()
            // A call of the service is quicker than one of the item, which gnome-keyring looks for among all that it holds.
            let result = try secretWhereItIsProven(key, at: path, provider.secrets(of: [path], session))
            switch result {
            case nil: return nil
            case .failure(let failure)? where failure.kind == .noSession: throw failure
            // Some fail as a whole where one is locked or gone; the longer way tells more.
            case .failure?: return nil
            case .success(let reply)?:
                guard let value = try Provider.secrets(in: reply)[path] else { return nil }
                let stored = try session.decode(value)
                return stored.bytes.count == 0 ? nil : StoredForm.decode(stored)
            }
        }

        /// Makes a call, and looks in the same round trip whether the entry still is what stands at a path.
        ///
        /// Where the provider tells of every change, the item is asked what it is when that is not known, and its collection
        /// once in a while when it was changed.
        ///
        /// - Returns: `nil` where something else stands there, or nothing.
        private func secretWhereItIsProven(
            _ key: EntryKey, at path: ObjectPath, _ call: BusCall
        ) throws(BusFailure) -> BusResult? {
            let items = provider.items
            guard provider.tellsEveryChange, let collection = path.parent else {
                let results = try provider.exchange([call, provider.attributes(of: path)], until: deadline)
                return try isEntry(key, at: path, results[1]) ? results[0] : nil
            }
            let (changes, moment) = (items.changes, ContinuousClock.now)
            let isKnown = items.meanings(of: [path], at: moment)[path] == .entry(key)
            let isProven = items.isProven(collection, at: moment)
            var calls = [call]
            if !isProven { calls.append(provider.property("Modified", of: "Collection", on: collection)) }
            if !isKnown { calls.append(provider.attributes(of: path)) }
            let results = try provider.exchange(calls, until: deadline)
            if !isProven {
                guard let age = try? results[1].get(), case .unsigned(let changed)? = age.first?.inside else {
                    return nil
                }
                items.expect(collection, changedAt: changed, asked: moment)
            }
            if !isKnown, let attributes = results.last {
                guard try isEntry(key, at: path, attributes) else { return nil }
                items.note([path: .entry(key)], since: changes, at: moment)
            }
            // A signal of a change comes before the answer to what is asked after it.
            return items.meanings(of: [path], at: moment)[path] == .entry(key) ? results[0] : nil
        }

        private func isEntry(_ key: EntryKey, at path: ObjectPath, _ attributes: BusResult) throws(BusFailure) -> Bool {
            let item = try ItemState(path, attributes)
            if case .one = ItemLookup(key, among: [item], of: identity) { return true }
            return false
        }

        /// Reads an entry where a search finds it.
        ///
        /// - Parameters:
        ///   - key: The entry.
        ///   - collection: Where to search.
        ///   - isFresh: Whether it was unlocked just now.
        ///   - patience: For two items of which one goes away when two writers have come to an end.
        /// - Returns: The value; `nil` for a proven absence.
        /// - Throws: Why it cannot be read.
        func read(
            _ key: EntryKey, in collection: ObjectPath, isFresh: Bool, _ patience: inout Patience
        ) throws(BusFailure) -> SharedSecret? {
            var isFresh = isFresh
            var hasUnlocked = isFresh
            var hasUnlockedItem = false
            var vanished: Set<ObjectPath> = []
            while true {
                let (changes, moment) = (provider.items.changes, ContinuousClock.now)
                let (paths, isLocked) = try find(identity.searches(for: key), in: collection)
                if isLocked {
                    // It was locked after we had looked, or opened only in name; what it shows proves nothing.
                    guard !hasUnlocked else { throw .unavailable(.locked) }
                    hasUnlocked = true
                    try unlock(collection)
                    continue
                }
                let session = try session()
                let items = try fetch(paths, session)
                switch ItemLookup(key, among: items.map(\.item), of: identity, vanished: vanished) {
                case .absent:
                    guard isFresh else { return nil }
                    isFresh = false
                case .ambiguous:
                    guard try patience.nap() else { throw .store(.cause(.ambiguous)) }
                case .dangling: throw .store(.undecryptable(.damaged))
                case .vanished(let paths):
                    // The entry may be on its way from one item to the next.
                    if !vanished.isEmpty, try !patience.nap() { throw .store(.undecryptable(.damaged)) }
                    vanished = paths
                case .one(let path):
                    guard let found = items.first(where: { $0.item.path == path }) else { throw .malformed }
                    do throws(BusFailure) {
                        let value = StoredForm.decode(try secret(found.secret, of: path, session))
                        engine.cache.note(path, of: key, with: provider)
                        if provider.tellsEveryChange {
                            provider.items.note([path: .entry(key)], since: changes, at: moment)
                        }
                        return value
                    } catch {
                        switch error.kind {
                        case .isLocked where error.decided == nil:
                            guard !hasUnlockedItem else { throw .store(.undecryptable(.locked)) }
                            hasUnlockedItem = true
                            try unlockItem(path)
                        case .noSuchObject where error.decided == nil:
                            // It went away between the two answers.
                            guard vanished.insert(path).inserted else { throw .store(.undecryptable(.damaged)) }
                        default: throw error
                        }
                    }
                }
            }
        }

        /// Searches a collection, and looks whether it was locked when the search was over.
        func find(
            _ searches: [[(key: String, value: String)]], in collection: ObjectPath
        ) throws(BusFailure) -> (paths: [ObjectPath], isLocked: Bool) {
            var calls = searches.map { attributes in
                let pairs = attributes.map { (key: BusValue.string($0.key), value: BusValue.string($0.value)) }
                return provider.call("Collection", "SearchItems", on: collection, [.dictionary(of: "ss", pairs)])
            }
            calls.append(provider.property("Locked", of: "Collection", on: collection))
            var results = try provider.exchange(calls, until: deadline)
            var isLocked = try CollectionSearch.state(results.removeLast(), search.absence)
            var found: [ObjectPath] = []
            for result in results {
                switch result {
                case .success(let values):
                    guard let paths = values.first?.paths else { throw .malformed }
                    found += paths.filter { !found.contains($0) || searches.count == 1 }
                case .failure(let failure) where failure.kind == .isLocked: isLocked = true
                case .failure(let failure) where failure.kind == .noSuchObject: throw search.absence
                case .failure(let failure): throw failure
                }
            }
            return (found, isLocked)
        }

        /// Asks for the attributes and the secrets of items, all back to back.
        func fetch(
            _ paths: [ObjectPath], _ session: SecretSession
        ) throws(BusFailure) -> [(item: ItemState, secret: BusResult)] {
            if provider.tellsEveryChange, paths.count == 1 {
                // It looks for an item of its own interface among all that it holds, and for this at once.
                let quick = [provider.attributes(of: paths[0]), provider.secrets(of: paths, session)]
                let results = try provider.exchange(quick, until: deadline)
                if case .success(let reply) = results[1], let value = try Provider.secrets(in: reply)[paths[0]] {
                    return [(try ItemState(paths[0], results[0]), .success([value]))]
                }
            }
            var calls: [BusCall] = []
            for path in paths {
                calls.append(provider.attributes(of: path))
                calls.append(provider.call("Item", "GetSecret", on: path, [.path(session.path)]))
            }
            let results = try provider.exchange(calls, until: deadline)
            var items: [(item: ItemState, secret: BusResult)] = []
            for (index, path) in paths.enumerated() {
                items.append((try ItemState(path, results[index * 2]), results[index * 2 + 1]))
            }
            return items
        }

        /// Asks for the attributes of items, and whether they are locked, all back to back.
        ///
        /// Of many, each part that is answered has its own deadline.
        func look(at paths: [ObjectPath]) throws(BusFailure) -> [(item: ItemState, isLocked: Bool)] {
            let calls = paths.flatMap { [provider.attributes(of: $0), provider.lockState(of: $0)] }
            let isMany = calls.count > Provider.window
            let results = try provider.exchange(calls) { isMany ? renewed.deadline : deadline }
            var items: [(item: ItemState, isLocked: Bool)] = []
            for (index, path) in paths.enumerated() {
                let item = try ItemState(path, results[index * 2])
                items.append((item, try isLocked(results[index * 2 + 1])))
            }
            return items
        }

        /// Whether an item is locked; one that is not there is not.
        private func isLocked(_ result: BusResult) throws(BusFailure) -> Bool {
            if case .failure(let failure) = result, failure.kind == .noSuchObject { return false }
            guard let isLocked = try result.get().first?.inside?.boolean else { throw .malformed }
            return isLocked
        }

        /// The stored bytes of an item.
        func secret(
            _ result: BusResult, of item: ObjectPath, _ session: SecretSession
        ) throws(BusFailure) -> SharedSecret {
            guard let value = try result.get().first else { throw .malformed }
            return try checked(try session.decode(value), of: item)
        }

        /// Refuses an empty secret that may stand for another: nothing that we write is stored as no bytes.
        ///
        /// KWallet answers one for an item of a locked wallet, and for one whose secret it had not written yet when it ended.
        func checked(_ stored: SharedSecret, of item: ObjectPath) throws(BusFailure) -> SharedSecret {
            guard stored.bytes.count == 0 else { return stored }
            let state = try provider.exchange([provider.lockState(of: item)], until: deadline)[0]
            if try isLocked(state) { throw BusFailure(kind: .isLocked) }
            guard provider.wallet == nil else { throw .store(.undecryptable(.damaged)) }
            return stored
        }

        func unlockItem(_ path: ObjectPath) throws(BusFailure) {
            let unlocking = Unlocking(provider: provider, prompts: engine.options.prompts)
            do throws(BusFailure) {
                try engine.unlocking.run(path, until: unlockDeadline) { () throws(BusFailure) in
                    try unlocking.unlock(path, "Item", until: deadline)
                }
            } catch {
                guard case .unavailable(.locked, _)? = error.decided else { throw error }
                throw .store(.undecryptable(.locked))
            }
        }
    }
#endif

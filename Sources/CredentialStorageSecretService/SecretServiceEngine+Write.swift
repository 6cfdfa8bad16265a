#if SecretService
    internal import CredentialStorage
    internal import FoundationEssentials

    extension SecretServiceEngine {
        /// Inserts or replaces an entry.
        func write(_ key: EntryKey, _ value: Span<UInt8>) throws(StorageFault) {
            guard value.count <= options.valueLimit else { throw .cause(.valueTooLarge(limit: options.valueLimit)) }
            try check()
            let stored = SharedSecret(StoredForm.encode(value))
            let lock = try lockForWriting(key, isRequired: false, creating: true)
            defer { lock.release() }
            try perform { (context) throws(BusFailure) in try context.write(key, stored) }
        }

        /// Removes an entry.
        func remove(_ key: EntryKey) throws(StorageFault) -> Bool {
            try check()
            let lock = try lockForWriting(key, isRequired: false)
            defer { lock.release() }
            return try perform { (context) throws(BusFailure) in try context.remove(key) }
        }

        func removeAll() throws(StorageFault) {
            try perform { (context) throws(BusFailure) in
                let (items, _, _, next) = try context.list()
                var hasUnlocked = false
                for (index, (key, path)) in items.enumerated() {
                    let lock = try raising { () throws(StorageFault) in try lockForWriting(key, isRequired: false) }
                    defer { lock.release() }
                    cache.forget(key)
                    // What stands at the path now is what is removed.
                    guard let isLocked = try next.renewed.standing(key, at: path) else { continue }
                    if isLocked, !hasUnlocked {
                        hasUnlocked = true
                        guard try next.renewed.unlock(among: items[index...]) else { throw .unavailable(.locked) }
                        guard try next.renewed.standing(key, at: path) != nil else { continue }
                    }
                    if try !next.renewed.delete(path) { try next.renewed.expectGone(key, at: path) }
                }
                if let first = items.first { try next.renewed.settle(after: first.path) }
            }
        }

        /// Changes an entry only if it still has the expected value, among all who use this library.
        func compareAndSet(_ key: EntryKey, expected: Data?, new: Data?) throws(StorageFault) -> Bool {
            if let new, new.count > options.valueLimit { throw .cause(.valueTooLarge(limit: options.valueLimit)) }
            try check()
            let stored = new.map { SharedSecret(StoredForm.encode($0.span)) }
            let lock = try lockForWriting(key, isRequired: true)
            defer { lock.release() }
            return try perform { (context) throws(BusFailure) in
                let present = try context.read(key)
                switch (present, expected) {
                case (nil, nil): break
                case (let present?, let expected?): guard present.bytes.isEqual(to: expected.span) else { return false }
                default: return false
                }
                if let stored {
                    try context.renewed.write(key, stored)
                } else if present != nil {
                    _ = try context.renewed.remove(key)
                }
                return true
            }
        }
    }

    extension SecretServiceEngine.Context {
        func write(_ key: EntryKey, _ stored: SharedSecret) throws(BusFailure) {
            let session = try session()
            var looks = 0
            while true {
                looks += 1
                let (place, context) = try locate(key, creating: true)
                do throws(BusFailure) {
                    switch place {
                    case .item(let path): try context.replace(path, key, stored, session)
                    case .nothing(let collection): try context.create(key, stored, session, in: collection)
                    }
                    return
                } catch {
                    engine.cache.forget(key)
                    // It went away, or was locked, after we had looked; nothing was written.
                    let isChanged = error.decided == nil && (error.kind == .noSuchObject || error.kind == .isLocked)
                    // A person is not asked again and again.
                    guard isChanged, looks < (error.kind == .isLocked ? 2 : 4) else { throw error }
                }
            }
        }

        func remove(_ key: EntryKey) throws(BusFailure) -> Bool {
            var path: ObjectPath?
            while true {
                let (place, context) = try locate(key, creating: false)
                engine.cache.forget(key)
                guard case .item(let present) = place else { return false }
                // That it is not there is no answer for one that is found again.
                guard present != path else { throw .malformed }
                path = present
                guard try context.delete(present) else { continue }
                try context.settle(after: present)
                return true
            }
        }

        /// Sees to it that what the provider calls gone is no longer found.
        func expectGone(_ key: EntryKey, at path: ObjectPath) throws(BusFailure) {
            guard try standing(key, at: path) == nil else { throw .malformed }
        }

        private enum Place { case item(ObjectPath), nothing(collection: ObjectPath) }

        /// Finds the one item that is the entry, or the collection in which there is none.
        ///
        /// The item that is returned has been looked at: every provider replaces by a search of its own that would
        /// also take a neighbour, so we never let it choose.
        private func locate(_ key: EntryKey, creating: Bool) throws(BusFailure) -> (Place, Self) {
            if let path = engine.cache.path(of: key, with: provider) {
                if try standing(key, at: path) == false { return (.item(path), self) }
                engine.cache.forget(key)
            }
            var (collection, context, isFresh) = try creating ? openOrCreateCollection() : openCollection()
            var hasUnlocked = isFresh
            var hasUnlockedItem = false
            var vanished: Set<ObjectPath> = []
            var patience = context.deadline.patience(atMost: Patience.ofReaders)
            while true {
                let (paths, isLocked) = try context.find(identity.searches(for: key), in: collection)
                if isLocked {
                    guard !hasUnlocked else { throw .unavailable(.locked) }
                    hasUnlocked = true
                    try context.unlock(collection)
                    context = context.renewed
                    continue
                }
                let items = try context.look(at: paths)
                switch ItemLookup(key, among: items.map(\.item), of: identity, vanished: vanished) {
                case .one(let path):
                    guard items.contains(where: { $0.item.path == path && $0.isLocked }) else {
                        return (.item(path), context)
                    }
                    guard !hasUnlockedItem else { throw .unavailable(.locked) }
                    hasUnlockedItem = true
                    try context.unlockItem(path)
                    context = context.renewed
                case .ambiguous:
                    guard try patience.nap() else { throw .store(.cause(.ambiguous)) }
                case .absent:
                    guard isFresh else { return (.nothing(collection: collection), context) }
                    isFresh = false
                case .vanished(let paths):
                    // The entry may be on its way from one item to the next.
                    if !vanished.isEmpty, try !patience.nap() { fallthrough }
                    vanished = paths
                case .dangling:
                    // What is not there cannot be replaced; but whether it was the entry is not known.
                    guard creating else { throw .store(.undecryptable(.damaged)) }
                    return (.nothing(collection: collection), context)
                }
            }
        }

        /// Whether the item at a path is locked; `nil` where none stands there that is the entry.
        func standing(_ key: EntryKey, at path: ObjectPath) throws(BusFailure) -> Bool? {
            let (item, isLocked) = try look(at: [path])[0]
            guard case .one = ItemLookup(key, among: [item], of: identity) else { return nil }
            return isLocked
        }

        private func replace(
            _ path: ObjectPath, _ key: EntryKey, _ stored: SharedSecret, _ session: SecretSession
        ) throws(BusFailure) {
            let secret = try raising { () throws(StorageFault) in try session.encode(stored) }
            try changing { () throws(BusFailure) in try setSecret(secret, of: path) }
            engine.cache.note(path, of: key, with: provider)
            noteBinding(in: engine.home.withLock { $0 })
            try settle(after: path)
        }

        func setSecret(_ secret: BusValue, of item: ObjectPath) throws(BusFailure) {
            let reply = try provider.answer(provider.call("Item", "SetSecret", on: item, [secret]), until: deadline)
            guard reply.isEmpty else { throw .malformed }
        }

        private func create(
            _ key: EntryKey, _ stored: SharedSecret, _ session: SecretSession, in collection: ObjectPath
        ) throws(BusFailure) {
            let secret = try raising { () throws(StorageFault) in try session.encode(stored) }
            let attributes = identity.attributes(of: key).map {
                (key: BusValue.string($0.key), value: BusValue.string($0.value))
            }
            let properties = BusValue.properties([
                ("org.freedesktop.Secret.Item.Label", .string(identity.label(of: key))),
                ("org.freedesktop.Secret.Item.Attributes", .dictionary(of: "ss", attributes)),
            ])
            let item = try changing { () throws(BusFailure) -> ObjectPath in
                let reply = try provider.answer(
                    provider.call("Collection", "CreateItem", on: collection, [properties, secret, .boolean(false)]),
                    until: deadline)
                guard reply.count == 2, let item = reply[0].path, let prompt = reply[1].path else { throw .malformed }
                if prompt.isNone {
                    guard !item.isNone else { throw .malformed }
                    return item
                }
                guard let made = try confirm(prompt).path, !made.isNone else { throw .malformed }
                return made
            }
            engine.cache.note(item, of: key, with: provider)
            noteBinding(in: collection)
            try changing(holdsValue: false) { () throws(BusFailure) in
                try unite(item, key, stored, session, in: collection)
            }
            try settle(in: collection)
        }

        /// Removes an item.
        ///
        /// - Returns: `false` where the provider says that it is not there, or the prompt that it answered with.
        func delete(_ path: ObjectPath) throws(BusFailure) -> Bool {
            do throws(BusFailure) {
                try changing(holdsValue: false) { () throws(BusFailure) in
                    let reply = try provider.answer(provider.call("Item", "Delete", on: path), until: deadline)
                    guard reply.count == 1, let prompt = reply[0].path else { throw .malformed }
                    if !prompt.isNone { _ = try confirm(prompt) }
                }
                return true
            } catch {
                guard error.decided == nil, error.kind == .noSuchObject else { throw error }
                return false
            }
        }

        private func confirm(_ prompt: ObjectPath) throws(BusFailure) -> BusValue {
            let flow = PromptFlow(prompts: engine.options.prompts, purpose: .change)
            return try PromptCall(provider: provider, flow: flow).run(prompt, until: deadline)
        }

        /// Runs a call that changes something: where it has no clear end, neither has the change.
        ///
        /// - Parameters:
        ///   - holdsValue: Whether the call hands a value over, which the provider may refuse.
        ///   - body: The call.
        /// - Returns: What the call answered.
        /// - Throws: What the call threw; `notConfirmed`; `providerCannotHold` or `unsupported` where the provider says so.
        private func changing<R>(
            holdsValue: Bool = true, _ body: () throws(BusFailure) -> R
        ) throws(BusFailure) -> R {
            do throws(BusFailure) {
                return try body()
            } catch {
                guard !error.leavesOutcomeOpen else { throw .unavailable(.notConfirmed, error.code) }
                guard error.decided == nil else { throw error }
                switch error.kind {
                case .invalidArguments where holdsValue: throw .store(.cause(.providerCannotHold))
                case .notSupported: throw .store(.unsupported)
                default: throw error
                }
            }
        }

        /// Makes a change durable where the provider would do it later.
        func settle(after item: ObjectPath) throws(BusFailure) {
            guard provider.wallet != nil, let collection = try search.run(until: deadline) else { return }
            try settle(in: collection.path)
        }

        private func settle(in collection: ObjectPath) throws(BusFailure) {
            guard let service = provider.wallet else { return }
            let wallet = Wallet(provider: provider, service: service)
            if !wallet.sync(collection, until: deadline.orAfter(.seconds(2))) {
                engine.options.log.warning("the wallet did not confirm that it has saved a change")
            }
        }
    }
#endif

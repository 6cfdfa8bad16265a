#if SecretService
    internal import CredentialStorage

    extension SecretServiceEngine.Context {
        /// The collection and whether it is locked.
        func findCollection() throws(BusFailure) -> (path: ObjectPath, isLocked: Bool)? {
            let note = try checkProvider()
            let former = engine.home.withLock { $0 }
            guard let (path, isLocked) = try search.run(until: deadline, expecting: former) else { return nil }
            try checkNameless(note, path)
            try checkHome(path, isOpen: !isLocked)
            return (path, isLocked)
        }

        /// Refuses another collection than the one that was the default when the entries were made, or when this store
        /// began: what it does not have is not proven absent, and what is put there is not found by others.
        ///
        /// Where that one is gone, and this one has entries of the service, it is the same one under another name.
        ///
        /// - Parameters:
        ///   - collection: The one that is the default now.
        ///   - isOpen: Whether it is, so that it can be searched.
        /// - Throws: `boundToAnotherProvider` where it is another one.
        func checkHome(_ collection: ObjectPath, isOpen: Bool) throws(BusFailure) {
            guard search.target == .default else { return }
            var home = engine.home.withLock { $0 }
            if home == nil { home = try note()?.collection }
            if let home, home != collection {
                var isHome = try search.isGone(home, until: deadline)
                if isHome, isOpen { isHome = try hasEntries(collection) }
                guard isHome else { throw .unavailable(.boundToAnotherProvider) }
            }
            if isOpen { engine.home.withLock { $0 = collection } }
        }

        /// Whether any of the first items is an entry; more are not looked at.
        private func hasEntries(_ collection: ObjectPath) throws(BusFailure) -> Bool {
            let (paths, isLocked) = try find([identity.search], in: collection)
            guard !isLocked else { throw .unavailable(.locked) }
            return try look(at: Array(paths.prefix(64))).contains { $0.item.attributes.flatMap(identity.entry) != nil }
        }
    }
#endif

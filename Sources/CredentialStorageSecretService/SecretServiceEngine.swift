#if SecretService
    internal import CredentialStorage

    /// The inside of a store: finds provider, session and collection, and the items in it.
    final class SecretServiceEngine: Sendable {
        typealias Options = StorageBuilder.SecretService.Options

        let options: Options
        let link: ProviderLink
        let cache = ItemCache()
        let writers = NamedLocks()
        let unlocking = SingleFlight<ObjectPath>()
        /// The collection that was the default at the first use.
        let home = Locked<ObjectPath?>(nil)
        private let defaultSessionState = LogindSession()

        init(_ options: Options) {
            self.options = options
            link = ProviderLink(options.environment, options.sessionEncryption, options.log)
        }

        /// One operation, with what it has found so far.
        struct Context {
            let engine: SecretServiceEngine
            let provider: Provider
            let identity: ItemIdentity
            let search: CollectionSearch
            let deadline: Deadline
            /// Whether the provider or the session was already replaced once.
            let isLastTry: Bool

            func session() throws(BusFailure) -> SecretSession {
                try engine.link.session(with: provider, until: deadline)
            }
        }

        /// Runs an operation, and once more where its provider went away or its session was no longer known.
        ///
        /// The body must be free of effects until it throws one of these two, or must have named the effect itself.
        func perform<R>(_ body: (Context) throws(BusFailure) -> R) throws(StorageFault) -> R {
            try check()
            let identity = try identity()
            let target = try target()
            let deadline = Deadline(after: options.deadline)
            var first: BusFailure?
            while true {
                do throws(BusFailure) {
                    let provider = try link.provider(until: deadline)
                    let context = Context(
                        engine: self, provider: provider, identity: identity,
                        search: CollectionSearch(provider: provider, target: target), deadline: deadline,
                        isLastTry: first != nil)
                    do throws(BusFailure) {
                        return try body(context)
                    } catch {
                        if error.kind == .noSession { provider.drop(provider.session) }
                        throw error
                    }
                } catch {
                    // That there is none any more is no news where one has just gone away.
                    if let first { throw (error.kind == .noProvider && error.decided == nil ? first : error).fault }
                    let isWorthwhile = error.kind == .providerLost || error.kind == .noSession
                    guard isWorthwhile, error.decided == nil else { throw error.fault }
                    first = error
                }
            }
        }

        /// Whether the store may be used at all.
        func check() throws(StorageFault) {
            try ForkGuard.check()
            try StorageCancellation.check()
            guard !link.isClosed else { throw .unavailable(.closed) }
            guard options.accessibility == .whenUnlockedThisDeviceOnly else { return }
            let state = options.sessionState ?? defaultSessionState
            let isLocked: Bool
            do { isLocked = try state.isLocked() } catch { throw .unavailable(.sessionStateUnknown) }
            guard !isLocked else { throw .unavailable(.sessionLocked) }
        }

        func identity() throws(StorageFault) -> ItemIdentity {
            let service = try ServiceName(checking: options.service)
            var group: ServiceName?
            if let name = options.group { group = try ServiceName(checking: name) }
            return ItemIdentity(service: service.text, group: group?.text)
        }

        func target() throws(StorageFault) -> CollectionSearch.Target {
            if let group = options.group { return .group(group) }
            switch options.collection {
            case .default: return .default
            case .session: return .alias("session")
            case .labelled(let label):
                guard !label.isEmpty, !label.utf8.contains(0) else { throw .unavailable(.groupUnusable) }
                return .label(label)
            }
        }

        func close() {
            guard ForkGuard.isOriginalProcess else { return }
            link.close()
            cache.clear()
        }
    }

    extension SecretServiceEngine.Context {
        /// The collection, unlocked, and the context for what comes next.
        ///
        /// Where it had to be unlocked, the provider has shown nothing of it yet, and some need a moment: `isFresh`. It is
        /// looked at first: a search in a locked one finds nothing with some providers, and shows a dialog with others.
        func openCollection() throws(BusFailure) -> (path: ObjectPath, next: Self, isFresh: Bool) {
            guard let found = try findCollection() else { throw search.absence }
            return try open(found)
        }

        func open(
            _ collection: (path: ObjectPath, isLocked: Bool)
        ) throws(BusFailure) -> (path: ObjectPath, next: Self, isFresh: Bool) {
            guard collection.isLocked else { return (collection.path, self, false) }
            try unlock(collection.path)
            try renewed.checkHome(collection.path, isOpen: true)
            return (collection.path, renewed, true)
        }

        /// Unlocks a collection, once for all who need it now.
        func unlock(_ collection: ObjectPath) throws(BusFailure) {
            let unlocking = Unlocking(provider: provider, prompts: engine.options.prompts)
            do throws(BusFailure) {
                try engine.unlocking.run(collection, until: unlockDeadline) { () throws(BusFailure) in
                    try unlocking.unlock(collection, "Collection", until: deadline)
                }
            } catch {
                guard case .group = search.target, case .unavailable(.locked, let code)? = error.decided else {
                    throw error
                }
                throw .unavailable(.groupUnusable, code)
            }
        }

        /// Whoever waits for another's dialog waits as long as the dialog may take.
        var unlockDeadline: Deadline {
            guard case .allowed(let limit) = engine.options.prompts else { return deadline }
            return Deadline(deadline.moment + limit + .seconds(2))
        }

        /// The deadline of what comes after a dialog, whose time does not count.
        var renewed: SecretServiceEngine.Context {
            SecretServiceEngine.Context(
                engine: engine, provider: provider, identity: identity, search: search,
                deadline: Deadline(after: engine.options.deadline), isLastTry: isLastTry)
        }
    }
#endif

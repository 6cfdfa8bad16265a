#if SecretService
    public import CredentialStorage

    extension SecretServiceStorage {
        /// The protection that was really reached.
        ///
        /// The provider holds the key; what it does with it is not told over the bus.
        public var protection: Protection {
            get throws(StorageError) {
                try performing(.read) { () throws(StorageFault) in
                    try ForkGuard.check()
                    let options = engine.options
                    let isVolatile = options.group == nil && options.collection == .session
                    return Protection(
                        source: .provider,
                        device: .none,
                        memory: SecureArena.shared.lockState,
                        durability: isVolatile ? .volatile : .durable,
                        accessibility: options.accessibility)
                }
            }
        }

        /// Whether secrets are encrypted on their way over the bus; a session is opened to tell.
        public var isSessionEncrypted: Bool {
            get throws(StorageError) {
                try performing(.read) { () throws(StorageFault) in
                    try engine.perform { (context) throws(BusFailure) in try context.session().isEncrypted }
                }
            }
        }

        /// Whether the collection is locked now.
        ///
        /// A keyring without a password is locked until its first use, and opens without a dialog.
        public var isLocked: Bool {
            get throws(StorageError) {
                try performing(.read) { () throws(StorageFault) in
                    try engine.perform { (context) throws(BusFailure) in
                        guard let found = try context.findCollection() else { throw context.search.absence }
                        return found.isLocked
                    }
                }
            }
        }

        /// Unlocks the collection and the entries in it that are locked one by one, with a dialog where that is allowed.
        ///
        /// - Throws: ``StorageError/readError(cause:)`` where it stays locked, with the reason; around
        ///   ``UndecryptableReason/locked`` where the collection is open and entries stay locked.
        public func unlock() throws(StorageError) {
            try performing(.read) { () throws(StorageFault) in
                try engine.perform { (context) throws(BusFailure) in
                    let (path, next, isFresh) = try context.openCollection()
                    // Some say that it is unlocked, and leave it as it was.
                    if isFresh, try next.search.isLocked(path, until: next.deadline) {
                        throw .unavailable(engine.options.group == nil ? .locked : .groupUnusable)
                    }
                    try next.renewed.unlockItems(in: path)
                }
            }
        }

        /// Locks the collection, for all programs.
        ///
        /// - Throws: ``StorageError/readError(cause:)`` where it stays open.
        public func lock() throws(StorageError) {
            try performing(.read) { () throws(StorageFault) in
                try engine.perform { (context) throws(BusFailure) in try context.lockCollection() }
            }
        }

        /// Looks without a dialog, without a write, and without starting a provider.
        ///
        /// One that is installed and not running is started by the first operation. Nothing is known of it before, so that
        /// it is called reachable, with `isLocked` being `nil`.
        public func probe() -> StorageProbe {
            do throws(StorageError) {
                return try performing(.read) { () throws(StorageFault) in try engine.probe() }
            } catch {
                return StorageProbe(
                    isReachable: false, isLocked: nil, isReadable: false, isWritable: false, reason: error)
            }
        }

        /// Returns when the collection is unlocked, by whomever.
        ///
        /// No dialog is shown for it.
        public func waitUntilAvailable() async throws(StorageError) {
            while true {
                let reason: StorageError?
                do {
                    reason = try await offload(.read) { self.probe().reason }
                } catch {
                    throw StorageError.adopting(error, during: .read)
                }
                guard let reason else { return }
                guard reason.category == .locked || reason.category == .sessionLocked else { throw reason }
                do { try await Task.sleep(for: .milliseconds(100)) } catch {
                    throw StorageFault.unavailable(.cancelled).during(.read)
                }
            }
        }
    }

    extension SecretServiceEngine {
        /// The longest that a look may take.
        private static let probeLimit = Duration.seconds(2)

        func probe() throws(StorageFault) -> StorageProbe {
            try check()
            let identity = try identity()
            let target = try target()
            let deadline = Deadline(after: min(options.deadline, Self.probeLimit))
            do throws(BusFailure) {
                let provider = try link.provider(until: deadline, mayStart: false)
                let context = Context(
                    engine: self, provider: provider, identity: identity,
                    search: CollectionSearch(provider: provider, target: target), deadline: deadline, isLastTry: true)
                guard let (_, isLocked) = try context.findCollection() else { throw context.search.absence }
                guard isLocked else { return .usable }
                let reason = StorageFault.unavailable(options.group == nil ? .locked : .groupUnusable)
                return StorageProbe(
                    isReachable: true, isLocked: true, isReadable: false, isWritable: false,
                    reason: reason.during(.read))
            } catch {
                // One that is installed and not running will be started by the first operation.
                guard error.kind != .startable else {
                    return StorageProbe(isReachable: true, isLocked: nil, isReadable: true, isWritable: true)
                }
                throw error.fault
            }
        }
    }

    extension SecretServiceEngine.Context {
        func lockCollection() throws(BusFailure) {
            guard let (path, isLocked) = try findCollection() else { throw search.absence }
            guard !isLocked else { return }
            let reply = try provider.answer(
                provider.call("Service", "Lock", on: .service, [.paths([path])]), until: deadline)
            guard reply.count == 2, let prompt = reply[1].path else { throw .malformed }
            var context = self
            if !prompt.isNone {
                let flow = PromptFlow(prompts: engine.options.prompts, purpose: .change)
                _ = try PromptCall(provider: provider, flow: flow).run(prompt, until: deadline)
                context = renewed
            }
            // Some answer success for a collection that cannot be locked.
            guard try context.search.isLocked(path, until: context.deadline) else { throw .store(.unsupported) }
        }
    }
#endif

internal import CredentialStorage

#if SecretService
    internal import CredentialStorageSecretService

    /// The keyring as a place for a vault's key, and as a store.
    struct Keyring: Sendable {
        /// The most that a look may take.
        private static let lookLimit = Duration.seconds(2)

        private let builder: StorageBuilder.SecretService

        init(_ options: AutomaticOptions) {
            var builder = StorageBuilder.SecretService(service: options.service).log(options.log)
                .environment(options.environment).fileSystem(options.fileSystem).lookingAhead(false)
            if let patience = options.promptDeadline { builder = builder.prompts(.allowed(deadline: patience)) }
            if let level = options.accessibility { builder = builder.accessibility(level) }
            if let state = options.sessionState { builder = builder.sessionState(state) }
            self.builder = builder
        }

        /// The store, which reaches the bus with its first operation.
        func store() throws(StorageFault) -> any AtomicStorage & InspectableStorage { builder.build() }

        /// Looks without starting a provider, without a dialog and without a write.
        func look() -> KeyringState {
            let reason = builder.deadline(Self.lookLimit).build().probe().reason
            guard let reason, !Self.isLock(reason.category) else { return .present }
            switch reason.category {
            case .noSessionBus, .noProvider: return .absent
            default: return .failing(.adopting(reason))
            }
        }

        /// Shows that a provider answers, one that has to be started first included.
        ///
        /// - Throws: Why it does not; a locked keyring is there.
        func prove(_ name: String) throws(StorageFault) {
            do {
                _ = try builder.build().get(name)
            } catch {
                guard !Self.isLock(error.category) else { return }
                throw .adopting(error)
            }
        }

        private static func isLock(_ category: UnavailableCategory?) -> Bool {
            switch category {
            case .locked, .promptNeeded, .promptDismissed, .promptTimedOut, .sessionLocked: true
            default: false
            }
        }
    }
#else
    /// The keyring of a build that has none.
    struct Keyring: Sendable {
        init(_ options: AutomaticOptions) {}
        func store() throws(StorageFault) -> any AtomicStorage & InspectableStorage { throw .unsupported }
        func look() -> KeyringState { .absent }
        func prove(_ name: String) throws(StorageFault) { throw .unsupported }
    }
#endif

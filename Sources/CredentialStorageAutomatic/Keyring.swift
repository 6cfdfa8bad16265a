internal import CredentialStorage
internal import CredentialStorageSealing

#if SecretService
    internal import CredentialStorageSecretService

    /// The keyring as a place for a vault's key, and as a store.
    struct Keyring: Sendable {
        /// The most that a look may take.
        private static let lookLimit = Duration.seconds(2)

        private let options: AutomaticOptions

        init(_ options: AutomaticOptions) { self.options = options }

        /// The store, which reaches the bus with its first operation.
        func store(of choice: AutomaticChoice) throws(StorageFault) -> any AtomicStorage & InspectableStorage {
            builder(choice).build()
        }

        /// Looks without starting a provider, without a dialog and without a write.
        func look() -> KeyringState {
            KeyringState(builder(.keyringVault).deadline(Self.lookLimit).build().probe())
        }

        /// Shows that the keyring is open, that of a provider included that has to be started first.
        ///
        /// - Throws: Why it is not.
        func prove(_ choice: AutomaticChoice) throws(StorageFault) {
            do {
                _ = try builder(choice).build().get(KeySource.entryName)
            } catch {
                throw .adopting(error)
            }
        }

        /// The key of a group's vault stands where all who share it look: under the group's name.
        private func builder(_ choice: AutomaticChoice) -> StorageBuilder.SecretService {
            let group = choice == .secretService ? options.group : nil
            let service = choice == .secretService ? options.service : options.group ?? options.service
            var builder = StorageBuilder.SecretService(service: service).accessGroup(group).log(options.log)
                .environment(options.environment).fileSystem(options.fileSystem).lookingAhead(false)
            if let patience = options.promptDeadline { builder = builder.prompts(.allowed(deadline: patience)) }
            if let level = options.accessibility { builder = builder.accessibility(level) }
            if let state = options.sessionState { builder = builder.sessionState(state) }
            return builder
        }
    }
#else
    /// The keyring of a build that has none.
    struct Keyring: Sendable {
        init(_ options: AutomaticOptions) {}
        func store(of choice: AutomaticChoice) throws(StorageFault) -> any AtomicStorage & InspectableStorage {
            throw .unsupported
        }
        func look() -> KeyringState { .absent }
        func prove(_ choice: AutomaticChoice) throws(StorageFault) { throw .unsupported }
    }
#endif

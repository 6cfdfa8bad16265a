#if SecretService
    public import CredentialStorage

    extension StorageBuilder {
        /// Builds a store in the user's keyring: gnome-keyring, KeePassXC, KWallet, or whatever else speaks the Secret Service
        /// protocol.
        ///
        /// ```swift
        /// let storage = StorageBuilder.SecretService(service: "org.example.app").prompts(.never).build()
        /// ```
        ///
        /// Entries are items with the attributes `xdg:schema`, `service` and `account`, in the provider's default
        /// collection unless another is named. No dialog is shown unless ``prompts(_:)`` allows it.
        public final class SecretService: Sendable {
            /// Which collection holds the entries.
            public enum Collection: Sendable, Hashable {
                /// The one that the provider calls its default.
                ///
                /// The first write notes which one that is, and a store object keeps to the one that it has used first.
                /// Where another one becomes the default, the store does not go over to it: an entry that it knows stays
                /// where it is, and all that it has to look for throws ``UnavailableCategory/boundToAnotherProvider``. One
                /// under another name is the same one where the former is gone and it holds entries of the service.
                case `default`
                /// One in the provider's memory that ends with the login.
                case session
                /// The one with this label.
                case labelled(String)
            }

            /// What may happen where a provider wants to ask a person.
            public enum Prompts: Sendable, Hashable {
                /// Changes that the provider confirms by itself are waited for, up to one second; nothing is unlocked
                /// by a dialog.
                case silent
                /// The provider is never told to ask. With providers that confirm each change by a prompt, no change is
                /// possible.
                case never
                /// A person may answer, until the deadline.
                case allowed(deadline: Duration)
            }

            struct Options: Sendable {
                var service: String
                var collection: Collection = .default
                var group: String?
                var accessibility: Accessibility = .afterFirstUnlockThisDeviceOnly
                var sessionState: (any SessionState)?
                var prompts: Prompts = .silent
                var deadline: Duration = .seconds(5)
                var sessionEncryption: SessionEncryption = .preferred
                var valueLimit = 1 << 20
                var log: StorageLog = .default
                var environment: Environment = .process
                var fileSystem: any FileSystem = PosixFileSystem()
                var looksAhead = true
            }

            let options: Options

            /// Starts with the default collection, no dialogs, and five seconds for each operation.
            ///
            /// - Parameter service: The application's namespace; a name that is not valid is reported by the first
            ///   operation.
            public convenience init(service: String) { self.init(Options(service: service)) }

            private init(_ options: Options) { self.options = options }

            private func with(_ change: (inout Options) -> Void) -> SecretService {
                var options = options
                change(&options)
                return SecretService(options)
            }

            /// Says which collection holds the entries.
            ///
            /// - Parameter collection: The collection.
            /// - Returns: A changed copy.
            public func collection(_ collection: Collection) -> SecretService { with { $0.collection = collection } }

            /// Shares the entries with this user's other programs that name the same group.
            ///
            /// - Parameter name: The group, which is the collection of that label. It is made by the first write where
            ///   dialogs are allowed. `nil` for a private store.
            /// - Returns: A changed copy.
            public func accessGroup(_ name: String?) -> SecretService { with { $0.group = name } }

            /// Sets the protection level.
            ///
            /// - Parameter level: With ``Accessibility/whenUnlockedThisDeviceOnly`` every operation first asks whether
            ///   the session is locked.
            /// - Returns: A changed copy.
            public func accessibility(_ level: Accessibility) -> SecretService { with { $0.accessibility = level } }

            /// Says how to learn whether the session is locked.
            ///
            /// - Parameter state: The state; ``LogindSession`` unless it is set.
            /// - Returns: A changed copy.
            public func sessionState(_ state: any SessionState) -> SecretService { with { $0.sessionState = state } }

            /// Says what may happen where a provider wants to ask a person.
            ///
            /// - Parameter prompts: ``Prompts/silent`` unless it is set.
            /// - Returns: A changed copy.
            public func prompts(_ prompts: Prompts) -> SecretService { with { $0.prompts = prompts } }

            /// Limits how long an operation takes, the start of the provider included and dialogs excluded.
            ///
            /// What is about all entries, such as a bulk read, has this time anew for each portion that the provider
            /// answers, 64 entries or more as a rule. So it ends after it where the provider falls silent, and where it is slow,
            /// only the number of entries limits the whole.
            ///
            /// - Parameter deadline: The limit; 5 s unless it is set.
            /// - Returns: A changed copy.
            public func deadline(_ deadline: Duration) -> SecretService { with { $0.deadline = deadline } }

            /// Says whether secrets must be encrypted on their way over the bus.
            ///
            /// - Parameter encryption: ``SessionEncryption/preferred`` unless it is set.
            /// - Returns: A changed copy.
            public func sessionEncryption(_ encryption: SessionEncryption) -> SecretService {
                with { $0.sessionEncryption = encryption }
            }

            /// Refuses values larger than this.
            ///
            /// - Parameter bytes: The limit in bytes.
            /// - Returns: A changed copy.
            public func valueLimit(_ bytes: Int) -> SecretService { with { $0.valueLimit = bytes } }

            /// Reports to this log.
            ///
            /// - Parameter log: The log.
            /// - Returns: A changed copy.
            public func log(_ log: StorageLog) -> SecretService { with { $0.log = log } }

            /// Leaves out the early look, for programs that start, do one thing and end.
            package func lookingAhead(_ looksAhead: Bool) -> SecretService { with { $0.looksAhead = looksAhead } }
            package func environment(_ environment: Environment) -> SecretService {
                with { $0.environment = environment }
            }
            package func fileSystem(_ fileSystem: any FileSystem) -> SecretService {
                with { $0.fileSystem = fileSystem }
            }

            /// Makes the store object.
            ///
            /// The bus is reached by the first operation.
            ///
            /// - Returns: The store.
            public func build() -> SecretServiceStorage {
                let storage = SecretServiceStorage(options)
                if options.looksAhead { BackgroundProbe.start(storage) }
                return storage
            }
        }
    }

    /// Whether secrets must be encrypted on their way over the bus.
    public enum SessionEncryption: String, Sendable, CaseIterable {
        /// Encrypted where the provider can; else as they are, with a warning in the log.
        case preferred
        /// A provider that cannot is refused with ``StorageError/unsupported``.
        case required
    }
#endif

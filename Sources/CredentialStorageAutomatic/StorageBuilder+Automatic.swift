public import CredentialStorage

struct AutomaticOptions: Sendable {
    var service: String
    var group: String?
    var policy: AutomaticPolicy
    var accessibility: Accessibility?
    var sessionState: (any SessionState)?
    var promptDeadline: Duration?
    var deadline: Duration = .seconds(5)
    var log: StorageLog = .default
    var environment: Environment = .process
    var fileSystem: any FileSystem = PosixFileSystem()
    var looksAhead = true
}

extension StorageBuilder {
    /// Builds the store that fits this machine, and the same one ever after.
    ///
    /// ```swift
    /// let storage = StorageBuilder.automatic(service: "org.example.app").build()
    /// ```
    ///
    /// The first write chooses, by the policy and by what is there, and notes its choice beside the data. From then on the
    /// choice stands: where what was chosen cannot be reached, its typed error is the answer, and nothing else is used.
    ///
    /// - Parameters:
    ///   - service: The application's namespace; a name that is not valid is reported by the first operation.
    ///   - policy: What may be chosen.
    /// - Returns: The builder.
    public static func automatic(service: String, policy: AutomaticPolicy = .durable) -> Automatic {
        Automatic(AutomaticOptions(service: service, policy: policy))
    }

    /// Builds the store that fits this machine; made by ``automatic(service:policy:)``.
    public final class Automatic: Sendable {
        let options: AutomaticOptions

        init(_ options: AutomaticOptions) { self.options = options }

        private func with(_ change: (inout AutomaticOptions) -> Void) -> Automatic {
            var options = options
            change(&options)
            return Automatic(options)
        }

        /// Sets the protection level, and binds a vault that is made now to this machine.
        ///
        /// - Parameter level: The level.
        /// - Returns: A changed copy.
        public func accessibility(_ level: Accessibility) -> Automatic { with { $0.accessibility = level } }

        /// Says how to learn whether the session is locked.
        ///
        /// - Parameter state: The state.
        /// - Returns: A changed copy.
        public func sessionState(_ state: any SessionState) -> Automatic { with { $0.sessionState = state } }

        /// Lets the keyring ask a person, as for its password.
        ///
        /// - Parameter deadline: How long the person may take; `nil`, as without this option, for no dialog.
        /// - Returns: A changed copy.
        public func prompts(allowed deadline: Duration?) -> Automatic { with { $0.promptDeadline = deadline } }

        /// Limits how long an operation waits for another process or for the keyring.
        ///
        /// - Parameter deadline: The longest wait; 5 s unless it is set.
        /// - Returns: A changed copy.
        public func deadline(_ deadline: Duration) -> Automatic { with { $0.deadline = deadline } }

        /// Reports to this log.
        ///
        /// - Parameter log: The log.
        /// - Returns: A changed copy.
        public func log(_ log: StorageLog) -> Automatic { with { $0.log = log } }

        /// Leaves out the early look, for programs that start, do one thing and end.
        package func lookingAhead(_ looksAhead: Bool) -> Automatic { with { $0.looksAhead = looksAhead } }
        /// Chooses for the vault that a group shares.
        package func accessGroup(_ name: String?) -> Automatic { with { $0.group = name } }
        package func environment(_ environment: Environment) -> Automatic { with { $0.environment = environment } }
        package func fileSystem(_ fileSystem: any FileSystem) -> Automatic { with { $0.fileSystem = fileSystem } }

        /// Makes the store object.
        ///
        /// Nothing is chosen before the first operation.
        ///
        /// - Returns: The store.
        public func build() -> AutomaticStorage {
            let storage = AutomaticStorage(options)
            if options.looksAhead { BackgroundProbe.start(storage) }
            return storage
        }
    }
}

public import CredentialStorage
public import CredentialStorageSealing

extension StorageBuilder {
    /// Builds a store in an encrypted file.
    ///
    /// ```swift
    /// let storage = StorageBuilder.EncryptedFile(service: "org.example.app").keySource(.passphrase { … }).build()
    /// ```
    ///
    /// The file is `credentials.vault` in the first of: the path that was named, `$STATE_DIRECTORY`,
    /// `$XDG_DATA_HOME/<service>`, `$HOME/.local/share/<service>`. It is made by the first write. Without a key source
    /// the key is ``KeySource/defaultKeyFile``.
    public final class EncryptedFile: Sendable {
        struct Options: Sendable {
            var service: String
            var group: String?
            var path: String?
            var keySource: KeySource = .defaultKeyFile
            var accessibility: Accessibility?
            var sessionState: (any SessionState)?
            var deadline: Duration = .seconds(5)
            var valueLimit = 1 << 20
            var lockedMemory: LockedMemoryPolicy = .preferred
            var keyDerivation: Argon2Parameters = .standard
            var keyDerivationLimits: Argon2Limits = .standard
            var log: StorageLog = .default
            var environment: Environment = .process
            var fileSystem: any FileSystem = PosixFileSystem()
            var randomness: any Randomness = SystemRandomness()
            var machineIDPath = MachineID.standardPath
            var looksAhead = true
        }

        let options: Options

        /// Starts with the default key file and no named path.
        ///
        /// - Parameter service: The application's namespace; a name that is not valid is reported by the first
        ///   operation.
        public convenience init(service: String) { self.init(Options(service: service)) }

        private init(_ options: Options) { self.options = options }

        private func with(_ change: (inout Options) -> Void) -> EncryptedFile {
            var options = options
            change(&options)
            return EncryptedFile(options)
        }

        /// Keeps the store at this path instead of the service's own place.
        ///
        /// Directories that are missing above it are made by the first write, with mode 0700. The default key file stays
        /// where the service has it.
        ///
        /// - Parameter path: The path of the file. Its directory must be this user's own.
        /// - Returns: A changed copy.
        public func path(_ path: String) -> EncryptedFile { with { $0.path = path } }

        /// Shares the store with this user's other programs that name the same group.
        ///
        /// A group is a namespace like a service's, and it takes the service's place: the group `x` and the service `x`
        /// are one and the same store. A path that is named comes before it.
        ///
        /// - Parameter name: The group; the store is then in `$XDG_DATA_HOME/<group>/`. `nil` for a private store.
        /// - Returns: A changed copy.
        public func accessGroup(_ name: String?) -> EncryptedFile { with { $0.group = name } }

        /// Says where the key comes from.
        ///
        /// - Parameter source: The source.
        /// - Returns: A changed copy.
        public func keySource(_ source: KeySource) -> EncryptedFile { with { $0.keySource = source } }

        /// Sets the protection level, and binds a store that is made now to this machine.
        ///
        /// - Parameter level: ``Accessibility/whenUnlockedThisDeviceOnly`` needs a ``sessionState(_:)``; without one
        ///   every operation answers ``UnavailableCategory/sessionStateUnknown``.
        /// - Returns: A changed copy.
        public func accessibility(_ level: Accessibility) -> EncryptedFile { with { $0.accessibility = level } }

        /// Says how to learn whether the session is locked.
        ///
        /// - Parameter state: The state.
        /// - Returns: A changed copy.
        public func sessionState(_ state: any SessionState) -> EncryptedFile { with { $0.sessionState = state } }

        /// Limits how long an operation waits for another process.
        ///
        /// - Parameter deadline: The longest wait; 5 s unless it is set.
        /// - Returns: A changed copy.
        public func deadline(_ deadline: Duration) -> EncryptedFile { with { $0.deadline = deadline } }

        /// Refuses values larger than this.
        ///
        /// - Parameter bytes: The limit in bytes, at most 16 MiB.
        /// - Returns: A changed copy.
        public func valueLimit(_ bytes: Int) -> EncryptedFile { with { $0.valueLimit = min(bytes, 1 << 24) } }

        /// Says whether the store may go on where the system refuses to lock memory.
        ///
        /// A bulk read takes memory for all names and values at once, so where it is required, the limit of locked memory has to
        /// leave room for them.
        ///
        /// - Parameter policy: Preferred, which is the default, or required.
        /// - Returns: A changed copy.
        public func lockedMemory(_ policy: LockedMemoryPolicy) -> EncryptedFile { with { $0.lockedMemory = policy } }

        /// Sets the work that a new passphrase slot asks for.
        ///
        /// - Parameter parameters: Not below ``Argon2Parameters/floor`` and within the limits.
        /// - Returns: A changed copy.
        public func keyDerivation(_ parameters: Argon2Parameters) -> EncryptedFile {
            with { $0.keyDerivation = parameters }
        }

        /// Sets the most work that a file may demand.
        ///
        /// - Parameter limits: The limits; a file beyond them answers ``StorageError/parametersOutOfRange``.
        /// - Returns: A changed copy.
        public func keyDerivationLimits(_ limits: Argon2Limits) -> EncryptedFile {
            with { $0.keyDerivationLimits = limits }
        }

        /// Reports to this log.
        ///
        /// - Parameter log: The log.
        /// - Returns: A changed copy.
        public func log(_ log: StorageLog) -> EncryptedFile { with { $0.log = log } }

        /// Leaves out the early look, for programs that start, do one thing and end.
        package func lookingAhead(_ looksAhead: Bool) -> EncryptedFile { with { $0.looksAhead = looksAhead } }
        package func environment(_ environment: Environment) -> EncryptedFile { with { $0.environment = environment } }
        package func fileSystem(_ fileSystem: any FileSystem) -> EncryptedFile { with { $0.fileSystem = fileSystem } }
        package func machineID(at path: String) -> EncryptedFile { with { $0.machineIDPath = path } }
        package func randomness(_ randomness: any Randomness) -> EncryptedFile { with { $0.randomness = randomness } }

        /// Makes the store object.
        ///
        /// The file is opened by the first operation.
        ///
        /// - Returns: The store.
        public func build() -> EncryptedFileStorage {
            let storage = EncryptedFileStorage(options)
            if options.looksAhead { BackgroundProbe.start(storage) }
            return storage
        }
    }
}

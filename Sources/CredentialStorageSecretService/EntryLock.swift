#if SecretService
    internal import CredentialStorage

    /// Locks between processes: bytes of one file in the service's data directory, chosen by a hash of the name.
    ///
    /// Not in the runtime directory: a cron job or a remote login of the same user may have another one.
    struct LockFile {
        /// What is locked; names of different kinds never meet.
        enum Kind: String { case named = "named lock", entry = "entry" }

        let directory: String
        let fileSystem: any FileSystem

        init(
            service: String, _ environment: Environment, _ fileSystem: any FileSystem
        ) throws(StorageFault) {
            let base = try BaseDirectory.data.path(environment, fileSystem)
            directory = "\(base)/\(service)/locks"
            self.fileSystem = fileSystem
        }

        /// Whether there is a place for locks already.
        var hasPlace: Bool { (try? fileSystem.status(at: directory, followingLink: true)) != nil }

        private var path: String { directory + "/secret-service.lock" }

        /// Refuses what stands in the place of the directory and is none.
        ///
        /// A link to a directory of one's own is one.
        func checkDirectory() throws(StorageFault) {
            for directory in [parentDirectory(of: directory), directory] {
                guard (try? fileSystem.status(at: directory, followingLink: false)) != nil else { continue }
                let kind = (try? fileSystem.status(at: directory, followingLink: true))?.kind
                guard kind == .directory else { throw .unavailable(.insecurePermissions) }
            }
        }

        /// Refuses what stands in the place of the file and is none: locks on it keep nobody out, and to open it may wait.
        private func checkFile() throws(StorageFault) {
            guard let file = try? fileSystem.status(at: path, followingLink: false) else { return }
            guard file.kind == .regular, file.owner == fileSystem.user else { throw .unavailable(.insecurePermissions) }
        }

        /// Takes a lock.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - kind: What it names.
        ///   - deadline: When to give up.
        /// - Returns: The held lock.
        /// - Throws: `lockTimedOut`, `insecurePermissions` where something else stands there, or that there is no place
        ///   for lock files.
        func acquire(
            _ name: EntryKey, _ kind: Kind, until deadline: ContinuousClock.Instant
        ) throws(StorageFault) -> StorageLock {
            try checkDirectory()
            try checkFile()
            let place = Self.place(of: name, kind)
            let file = try PrivateDirectory.making(directory, fileSystem) { () throws(StorageFault) in
                try PrivateDirectory.check(directory, fileSystem)
                return try faulting { () throws(SystemError) in try fileSystem.open(path, .create) }
            }
            do throws(StorageFault) {
                try FileLock.wait(until: deadline, longestNap: .milliseconds(5)) { () throws(SystemError) in
                    try fileSystem.tryLockByte(file, at: place)
                }
            } catch {
                fileSystem.close(file)
                throw error
            }
            return StorageLock { [fileSystem] in
                fileSystem.unlockByte(file, at: place)
                fileSystem.close(file)
            }
        }

        /// Five bytes of a hash: two names meet by chance once in 10^12, and then they only wait for each other.
        static func place(of name: EntryKey, _ kind: Kind) -> Int {
            let text = Array("scs1 \(kind.rawValue)".utf8) + [0] + Array(name.name.utf8)
            return KeyDerivation.hash(text).prefix(5).reduce(0) { $0 << 8 | Int($1) }
        }
    }

    extension SecretServiceEngine {
        /// A named lock.
        func acquireLock(_ name: EntryKey, timeout: Duration) throws(StorageFault) -> StorageLock {
            try check()
            return try lockFile().acquire(name, .named, until: .now + timeout)
        }

        /// Keeps other writers of this entry out: those of this process always, those of others by a file.
        ///
        /// - Parameters:
        ///   - key: The entry.
        ///   - isRequired: Whether the change makes no sense without the file. A change that does not depend on what is
        ///     there is made also where there is no place for lock files.
        ///   - creating: Whether the change makes a collection that is not there, where that is allowed.
        /// - Returns: The held lock.
        /// - Throws: `lockTimedOut`; `insecurePermissions` where something else stands in the place of the lock files; that
        ///   there is none, where one is required; why the collection cannot be used, where it is the first change.
        func lockForWriting(
            _ key: EntryKey, isRequired: Bool, creating: Bool = false
        ) throws(StorageFault) -> StorageLock {
            try reach(creating)
            let deadline = ContinuousClock.now + lockPatience
            let turn = try writers.acquire(key, timeout: lockPatience)
            do throws(StorageFault) {
                let lock = try lockFile().acquire(key, .entry, until: deadline)
                return StorageLock {
                    lock.release()
                    turn.release()
                }
            } catch {
                switch error {
                case .unavailable(.lockTimedOut, _), .unavailable(.cancelled, _), .unavailable(.insecurePermissions, _),
                    .cause:
                    throw error
                default:
                    guard !isRequired else { throw error }
                    options.log.warning("there is no place for lock files; other programs' changes are not kept apart")
                    return turn
                }
            }
        }

        /// Sees to it that nothing is made where nothing can be written, not even a place for locks.
        private func reach(_ creating: Bool) throws(StorageFault) {
            if let file = try? lockFile(), !file.hasPlace {
                return try perform { (context) throws(BusFailure) in
                    _ = try creating ? context.openOrCreateCollection() : context.openCollection()
                }
            }
            do throws(BusFailure) {
                _ = try link.provider(until: Deadline(after: options.deadline))
            } catch {
                throw error.fault
            }
        }

        /// Another writer of the same entry may be waiting for a person.
        private var lockPatience: Duration {
            guard case .allowed(let limit) = options.prompts else { return options.deadline }
            return options.deadline + limit
        }

        func lockFile() throws(StorageFault) -> LockFile {
            let identity = try identity()
            return try LockFile(
                service: identity.group ?? identity.service, options.environment, options.fileSystem)
        }
    }
#endif

#if SecretService
    public import CredentialStorage
    public import FoundationEssentials

    /// A store in the user's keyring, over the Secret Service protocol.
    ///
    /// `nil` and `false` are answered only where the collection is open and has no such item; a locked, silent or missing
    /// provider is an error of its own kind. Every operation ends within the deadline of the builder, dialogs apart; a bulk read
    /// has it anew for each portion that the provider answers.
    /// Values are any bytes; text that every provider keeps as it is can be read by other programs too.
    ///
    /// Thread-safe, with or without a main loop. Reading an entry again costs one round trip to the provider, a bulk read
    /// a handful. Made by ``StorageBuilder/SecretService``.
    public final class SecretServiceStorage: AtomicStorage, InspectableStorage {
        let engine: SecretServiceEngine

        init(_ options: StorageBuilder.SecretService.Options) { engine = SecretServiceEngine(options) }

        /// Where this store reports omissions and warnings.
        public var log: StorageLog { engine.options.log }

        /// Reads one entry.
        public func get(_ key: String) throws(StorageError) -> Data? {
            try performing(.read) { () throws(StorageFault) in
                try engine.read(try EntryKey(checking: key))?.bytes.withBytes { Data(copying: $0) }
            }
        }

        /// Reads one entry into locked memory that is wiped when the body returns.
        ///
        /// The message that it came in is GLib's memory, and is not wiped.
        public func withSecret<R>(forKey key: String, _ body: (Span<UInt8>?) throws -> R) throws -> R {
            let secret = try performing(.read) { () throws(StorageFault) in
                try engine.read(try EntryKey(checking: key))
            }
            guard let secret else { return try body(nil) }
            return try secret.bytes.withBytes { try body($0) }
        }

        /// Inserts or replaces one entry.
        ///
        /// It returns when the provider has said that it holds the value, and does not read it back: one that says so and
        /// loses it is not noticed here.
        public func set(_ value: Data, forKey key: String) throws(StorageError) {
            try setSecret(value.span, forKey: key)
        }

        /// Inserts or replaces one entry.
        public func setSecret(_ bytes: Span<UInt8>, forKey key: String) throws(StorageError) {
            try performing(.write) { () throws(StorageFault) in
                try engine.write(try EntryKey(checking: key), bytes)
            }
        }

        /// Removes one entry.
        @discardableResult
        public func delete(_ key: String) throws(StorageError) -> Bool {
            try performing(.delete) { () throws(StorageFault) in try engine.remove(try EntryKey(checking: key)) }
        }

        /// Removes every entry, duplicates and locked ones included.
        public func deleteAll() throws(StorageError) {
            try performing(.delete) { () throws(StorageFault) in try engine.removeAll() }
        }

        /// Reads everything that is open; what is locked or damaged is named.
        public func readAll() throws(StorageError) -> BulkRead {
            try performing(.read) { () throws(StorageFault) in try engine.readAll() }
        }

        /// Lists the names.
        public func keys() throws(StorageError) -> [String] {
            try performing(.read) { () throws(StorageFault) in try engine.keys() }
        }

        /// Changes one entry only if it still has the expected value, among all who use this library.
        ///
        /// Others change items whenever they like; the bus has no means against that.
        public func compareAndSet(_ key: String, expected: Data?, new: Data?) throws(StorageError) -> Bool {
            try performing(.write) { () throws(StorageFault) in
                try engine.compareAndSet(try EntryKey(checking: key), expected: expected, new: new)
            }
        }

        /// Takes a named lock that excludes every other holder among this user's programs.
        public func acquireLock(_ name: String, timeout: Duration) throws(StorageError) -> StorageLock {
            try performing(.read) { () throws(StorageFault) in
                try engine.acquireLock(try EntryKey(checking: name), timeout: timeout)
            }
        }

        /// The kind of this store.
        public var backend: StorageBackend { .secretService }

        /// Ends the session with the provider.
        ///
        /// Every later call throws ``UnavailableCategory/closed``.
        public func close() { engine.close() }
    }

    extension SecretServiceStorage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// A fixed text.
        public var description: String { "SecretServiceStorage" }
        /// A fixed text.
        public var debugDescription: String { description }
        /// An empty mirror.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif

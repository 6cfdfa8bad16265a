extension StorageBuilder {
    /// Builds a store whose values live in this process's memory and end with it.
    ///
    /// ```swift
    /// let storage = StorageBuilder.InMemory().build()
    /// ```
    public final class InMemory: Sendable {
        let log: StorageLog
        let valueLimit: Int
        let lockedMemory: LockedMemoryPolicy

        /// Starts with a limit of 1 MiB a value and locked memory preferred.
        public convenience init() {
            self.init(log: .default, valueLimit: 1 << 20, lockedMemory: .preferred)
        }

        private init(log: StorageLog, valueLimit: Int, lockedMemory: LockedMemoryPolicy) {
            self.log = log
            self.valueLimit = valueLimit
            self.lockedMemory = lockedMemory
        }

        /// Reports to this log.
        ///
        /// - Parameter log: The log.
        /// - Returns: A changed copy.
        public func log(_ log: StorageLog) -> InMemory {
            InMemory(log: log, valueLimit: valueLimit, lockedMemory: lockedMemory)
        }

        /// Refuses values larger than this.
        ///
        /// - Parameter bytes: The limit in bytes.
        /// - Returns: A changed copy.
        public func valueLimit(_ bytes: Int) -> InMemory {
            InMemory(log: log, valueLimit: bytes, lockedMemory: lockedMemory)
        }

        /// Says whether the store may go on where the system refuses to lock memory.
        ///
        /// - Parameter policy: Preferred, which is the default, or required.
        /// - Returns: A changed copy.
        public func lockedMemory(_ policy: LockedMemoryPolicy) -> InMemory {
            InMemory(log: log, valueLimit: valueLimit, lockedMemory: policy)
        }

        /// Makes an empty store.
        ///
        /// - Returns: The store.
        public func build() -> InMemoryStorage { InMemoryStorage(self) }
    }
}

extension Storage {
    /// The part of this store whose names begin with a prefix.
    ///
    /// - Parameter prefix: The prefix, compared byte for byte; it should end with a separator.
    /// - Returns: The part.
    public func prefixed(_ prefix: String) -> PrefixedStorage<Self> { PrefixedStorage(self, prefix: prefix) }

    /// This store, with an observer that is told about each operation.
    ///
    /// - Parameter observer: Runs after each operation, on the thread that did the work.
    /// - Returns: The observed store.
    public func observed(_ observer: @escaping @Sendable (Observation) -> Void) -> ObservedStorage<Self> {
        ObservedStorage(self, observer: observer)
    }
}

extension StorageBuilder {
    /// The part of a store, whose type is not known here, whose names begin with a prefix.
    ///
    /// The result conforms to the stronger protocols exactly where the store does; ask with `as?`.
    ///
    /// - Parameters:
    ///   - prefix: The prefix, compared byte for byte; it should end with a separator.
    ///   - storage: The store.
    /// - Returns: The part.
    public static func prefixed(_ prefix: String, over storage: any Storage) -> any Storage {
        func open(_ storage: some Storage) -> any Storage { storage.prefixed(prefix) }
        return open(storage)
    }

    /// A store, whose type is not known here, with an observer that is told about each operation.
    ///
    /// The result conforms to the stronger protocols exactly where the store does; ask with `as?`.
    ///
    /// - Parameters:
    ///   - storage: The store.
    ///   - observer: Runs after each operation, on the thread that did the work.
    /// - Returns: The observed store.
    public static func observed(
        over storage: any Storage,
        _ observer: @escaping @Sendable (Observation) -> Void
    ) -> any Storage {
        func open(_ storage: some Storage) -> any Storage { storage.observed(observer) }
        return open(storage)
    }
}

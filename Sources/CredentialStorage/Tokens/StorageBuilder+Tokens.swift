extension StorageBuilder {
    /// Keeps an installation token in a store whose type is not known here.
    ///
    /// The result conforms to ``AtomicTokenStore`` when the store conforms to ``AtomicStorage``; ask with
    /// `as? any AtomicTokenStore`. For an `any AtomicStorage` there is a form that says so.
    ///
    /// - Parameters:
    ///   - storage: The store.
    ///   - key: The name of the entry.
    /// - Returns: The token store.
    public static func tokenStore(over storage: any Storage, key: String = "install-token") -> any TokenStore {
        func open(_ storage: some Storage) -> any TokenStore { StorageTokenStore(storage, key: key) }
        return open(storage)
    }

    /// Keeps an installation token in an atomic store whose type is not known here.
    ///
    /// - Parameters:
    ///   - storage: The store.
    ///   - key: The name of the entry.
    /// - Returns: The token store.
    public static func tokenStore(
        over storage: any AtomicStorage,
        key: String = "install-token"
    ) -> any AtomicTokenStore {
        func open(_ storage: some AtomicStorage) -> any AtomicTokenStore { StorageTokenStore(storage, key: key) }
        return open(storage)
    }
}

public import CredentialStorage

extension Storage {
    /// This store as the base of one that seals names and values.
    ///
    /// - Parameter keys: The key to seal under, and those that open older records.
    /// - Returns: The sealed store.
    public func sealed(with keys: SealingKeys) -> SealedStorage<Self> { SealedStorage(self, keys: keys) }
}

extension StorageBuilder {
    /// A store, whose type is not known here, as the base of one that seals names and values.
    ///
    /// The result conforms to the stronger protocols exactly where the store does; ask with `as?`.
    ///
    /// - Parameters:
    ///   - storage: The store.
    ///   - keys: The key to seal under, and those that open older records.
    ///   - names: What becomes of the names in the base.
    ///   - valueLimit: The largest value.
    /// - Returns: The sealed store.
    public static func sealed(
        over storage: any Storage,
        with keys: SealingKeys,
        names: SealedNames = .sealed,
        valueLimit: Int = 1 << 20
    ) -> any Storage {
        func open(_ storage: some Storage) -> any Storage {
            storage.sealed(with: keys).names(names).valueLimit(valueLimit)
        }
        return open(storage)
    }
}

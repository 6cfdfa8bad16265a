/// A token store that keeps its token in a `Storage`, for those who must say which kind it is.
package protocol StoredTokens: TokenStore {
    var tokenStorage: any Storage { get }
}

extension TokenStore {
    /// The kind of store behind this one, where it tells; the choice of an automatic store is looked up.
    package var backend: StorageBackend? {
        ((self as? any StoredTokens)?.tokenStorage as? any InspectableStorage)?.backend
    }
}

extension StorageTokenStore: StoredTokens {
    package var tokenStorage: any Storage { storage }
}

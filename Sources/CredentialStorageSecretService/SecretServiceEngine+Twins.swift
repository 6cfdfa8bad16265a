#if SecretService
    internal import CredentialStorage

    extension SecretServiceEngine.Context {
        /// Leaves one item where another writer has made one of the same name at the same time.
        ///
        /// Lock files keep apart only those who have the same data directory, and somebody else's program has none. All
        /// writers keep the item whose path comes first, and whoever has made another one gives it his value before he
        /// removes his own. So the last of them leaves one item, and the value of one of those who wrote at the same time.
        ///
        /// Nobody removes an item that another may be about to remove: two who do so at once end KeePassXC 2.7.4. What is
        /// still there after a while was made by somebody who removes nothing.
        ///
        /// - Parameters:
        ///   - made: The item that was made here.
        ///   - key: The entry.
        ///   - stored: Its value.
        ///   - session: The session.
        ///   - collection: Where to look.
        /// - Throws: Why it could not be found out or done.
        func unite(
            _ made: ObjectPath, _ key: EntryKey, _ stored: SharedSecret, _ session: SecretSession,
            in collection: ObjectPath
        ) throws(BusFailure) {
            let secret = try raising { () throws(StorageFault) in try session.encode(stored) }
            var patience = deadline.patience(atMost: Patience.ofWriters)
            while true {
                let (paths, isLocked) = try find(identity.searches(for: key), in: collection)
                // What was written is written; that it was locked since then tells nothing else.
                guard !isLocked, paths != [made] else { return }
                let twins = try look(at: paths).map(\.item).filter { $0.attributes.flatMap(identity.entry) == key }
                    .map(\.path).sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
                guard let kept = twins.first, twins != [made] else { return }
                guard kept != made else {
                    if try patience.nap() { continue }
                    for path in twins.dropFirst() where try standing(key, at: path) != nil { _ = try delete(path) }
                    return
                }
                do throws(BusFailure) {
                    try setSecret(secret, of: kept)
                } catch {
                    // It is gone for one that comes before it, or for good.
                    guard error.kind == .noSuchObject, !deadline.isOver else { throw error }
                    continue
                }
                engine.cache.note(kept, of: key, with: provider)
                if twins.contains(made) { _ = try delete(made) }
                return
            }
        }
    }
#endif

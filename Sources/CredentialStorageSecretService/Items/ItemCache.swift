#if SecretService
    internal import CredentialStorage

    /// Where entries were last found.
    ///
    /// Every use is checked against the item's attributes.
    final class ItemCache: Sendable {
        private struct State {
            var owner: String?
            var paths: [EntryKey: ObjectPath] = [:]
        }

        private let state = Locked(State())

        /// More than this many paths are not kept; they cost a search each.
        private static let capacity = 20_000

        /// The path of an entry with this provider; another provider's paths are forgotten.
        func path(of key: EntryKey, with provider: Provider) -> ObjectPath? {
            state.withLock { state in state.owner == provider.name ? state.paths[key] : nil }
        }

        func note(_ path: ObjectPath, of key: EntryKey, with provider: Provider) {
            state.withLock { state in
                if state.owner != provider.name || state.paths.count >= Self.capacity {
                    state.owner = provider.name
                    state.paths = [:]
                }
                state.paths[key] = path
            }
        }

        func forget(_ key: EntryKey) { state.withLock { _ = $0.paths.removeValue(forKey: key) } }
        func clear() { state.withLock { $0.paths = [:] } }
    }
#endif

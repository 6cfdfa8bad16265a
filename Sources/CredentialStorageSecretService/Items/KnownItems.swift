#if SecretService
    internal import CredentialStorage

    /// What a provider has said about its items, for as long as it lives.
    ///
    /// Signals come before the answers to what is asked after a change, so an answer is never older than what is known here.
    final class KnownItems: Sendable {
        /// What an item is.
        private struct Known {
            /// `nil` for an item that is none of the store.
            var key: EntryKey?
            var asked: ContinuousClock.Instant
        }

        private struct State {
            var known: [ObjectPath: Known] = [:]
            /// How often items came, went or changed.
            var changes = 0
            /// When each of them did so last, and when any did so that are not listed.
            var changed: [ObjectPath: Int] = [:]
            var lastUnlisted = 0

            func hasChanged(_ path: ObjectPath, since changes: Int) -> Bool {
                max(lastUnlisted, changed[path] ?? 0) > changes
            }
        }

        private let state = Locked(State())

        /// More than this many are not kept; they are asked for again.
        private static let capacity = 20_000
        /// How long it is relied on that no signal means no change.
        ///
        /// A keyring file that is exchanged below a running gnome-keyring is taken over without a signal.
        static let lifetime = Duration.seconds(10)

        /// How often the provider has said that items came, went or changed.
        var changes: Int { state.withLock { $0.changes } }

        /// Takes note of a signal.
        ///
        /// - Parameter path: The item that it is about; `nil` where that is not known.
        func noteChange(of path: ObjectPath?) {
            state.withLock { state in
                state.changes += 1
                guard let path, state.changed.count < Self.capacity else {
                    state.known = [:]
                    state.changed = [:]
                    state.lastUnlisted = state.changes
                    return
                }
                state.known[path] = nil
                state.changed[path] = state.changes
            }
        }

        /// Those of some items about which there was a signal since there had been a number of them.
        func changed(_ paths: [ObjectPath], since changes: Int) -> Set<ObjectPath> {
            state.withLock { state in
                guard state.changes != changes else { return [] }
                return Set(paths.filter { state.hasChanged($0, since: changes) })
            }
        }

        /// What items are, where that is known: the name of an entry, or `nil` for an item that is none.
        func names(of paths: [ObjectPath], at moment: ContinuousClock.Instant = .now) -> [ObjectPath: EntryKey?] {
            state.withLock { state in
                var names: [ObjectPath: EntryKey?] = [:]
                for path in paths {
                    guard let known = state.known[path], moment - known.asked < Self.lifetime else { continue }
                    names[path] = .some(known.key)
                }
                return names
            }
        }

        /// Keeps what items are, but for those about which there was a signal since they were asked for.
        ///
        /// - Parameters:
        ///   - names: What they are.
        ///   - changes: How many signals there had been before the provider was asked.
        ///   - moment: When it was asked.
        func note(_ names: [ObjectPath: EntryKey?], since changes: Int, at moment: ContinuousClock.Instant) {
            state.withLock { state in
                if state.known.count + names.count > Self.capacity { state.known = [:] }
                guard names.count <= Self.capacity else { return }
                for (path, key) in names where !state.hasChanged(path, since: changes) {
                    state.known[path] = Known(key: key, asked: moment)
                }
            }
        }
    }
#endif

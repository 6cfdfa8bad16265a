#if SecretService
    internal import CredentialStorage

    /// What a provider has said about its items, for as long as it lives.
    ///
    /// Signals come before the answers to what is asked after a change, so an answer is never older than what is known here.
    final class KnownItems: Sendable {
        /// What an item is.
        enum Meaning: Sendable, Equatable {
            case entry(EntryKey)
            /// None of the store.
            case foreign
        }

        private struct Known {
            var meaning: Meaning
            var asked: ContinuousClock.Instant
        }

        private struct State {
            var known: [ObjectPath: Known] = [:]
            /// How often items came, went or changed.
            var changes = 0
            /// When each of them did so last, and when any did so that are not listed.
            var changed: [ObjectPath: Int] = [:]
            var lastUnlisted = 0
            /// When each collection was changed last, as it says.
            var collections: [ObjectPath: UInt64] = [:]

            func hasChanged(_ path: ObjectPath, since changes: Int) -> Bool {
                max(lastUnlisted, changed[path] ?? 0) > changes
            }
        }

        private let state = Locked(State())

        /// More than this many are not kept; they are asked for again.
        private static let capacity = 20_000
        /// How long it is relied on that no signal means no change.
        static let lifetime = Duration.seconds(10)
        /// The same for one item, where its collection is not asked whether it is still the one that it was.
        static let shortLifetime = Duration.seconds(1)

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

        /// Lets go of everything where a collection was changed at another moment than it said before.
        ///
        /// A keyring file that is exchanged below a running gnome-keyring is taken over without a signal.
        func expect(_ collection: ObjectPath, changedAt moment: UInt64) {
            state.withLock { state in
                guard state.collections.updateValue(moment, forKey: collection) != moment else { return }
                state.known = [:]
            }
        }

        /// Those of some items about which there was a signal since there had been a number of them.
        func changed(_ paths: [ObjectPath], since changes: Int) -> Set<ObjectPath> {
            state.withLock { state in
                guard state.changes != changes else { return [] }
                return Set(paths.filter { state.hasChanged($0, since: changes) })
            }
        }

        /// What items are, where that is known.
        func meanings(of paths: [ObjectPath], at moment: ContinuousClock.Instant = .now) -> [ObjectPath: Meaning] {
            state.withLock { state in
                var meanings: [ObjectPath: Meaning] = [:]
                meanings.reserveCapacity(paths.count)
                for path in paths {
                    guard let known = state.known[path], moment - known.asked < Self.lifetime else { continue }
                    meanings[path] = known.meaning
                }
                return meanings
            }
        }

        /// Whether it was learnt just now that this is what an item is.
        func isFresh(_ meaning: Meaning, at path: ObjectPath, _ moment: ContinuousClock.Instant = .now) -> Bool {
            state.withLock { state in
                guard let known = state.known[path], moment - known.asked < Self.shortLifetime else { return false }
                return known.meaning == meaning
            }
        }

        /// Keeps what items are, but for those about which there was a signal since they were asked for.
        ///
        /// - Parameters:
        ///   - meanings: What they are.
        ///   - changes: How many signals there had been before the provider was asked.
        ///   - moment: When it was asked.
        func note(_ meanings: [ObjectPath: Meaning], since changes: Int, at moment: ContinuousClock.Instant) {
            state.withLock { state in
                if state.known.count + meanings.count > Self.capacity { state.known = [:] }
                guard meanings.count <= Self.capacity else { return }
                for (path, meaning) in meanings where !state.hasChanged(path, since: changes) {
                    state.known[path] = Known(meaning: meaning, asked: moment)
                }
            }
        }
    }
#endif

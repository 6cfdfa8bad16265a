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
            /// When each collection was changed last, as it says, and when it was asked.
            var collections: [ObjectPath: (changed: UInt64, asked: ContinuousClock.Instant)] = [:]

            func hasChanged(_ path: ObjectPath, since changes: Int) -> Bool {
                max(lastUnlisted, changed[path] ?? 0) > changes
            }
        }

        private let state = Locked(State())

        /// More than this many are not kept; they are asked for again.
        private static let capacity = 20_000
        /// How long it is relied on that no signal means no change.
        static let lifetime = Duration.seconds(10)
        /// How long a collection is not asked again when it was changed last.
        static let proofLifetime = Duration.seconds(1)

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
        ///
        /// - Parameters:
        ///   - collection: The collection.
        ///   - moment: When it was changed last, as it says.
        ///   - asked: When it was asked.
        func expect(
            _ collection: ObjectPath, changedAt moment: UInt64, asked: ContinuousClock.Instant = .now
        ) {
            state.withLock { state in
                guard state.collections.updateValue((moment, asked), forKey: collection)?.changed != moment else {
                    return
                }
                state.known = [:]
            }
        }

        /// Whether a collection has said just now when it was changed.
        func isProven(_ collection: ObjectPath, at moment: ContinuousClock.Instant = .now) -> Bool {
            state.withLock { state in
                state.collections[collection].map { moment - $0.asked < Self.proofLifetime } ?? false
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

#if SecretService
    internal import CredentialStorage

    /// Reads the secrets of many items, in as few calls as their number allows.
    struct BulkSecrets {
        typealias Listed = SecretServiceEngine.Context.Listed

        /// What became of one secret.
        enum Secret: Sendable {
            case value(SharedSecret)
            case omitted(UndecryptableReason)
        }

        /// How many secrets one call asks for.
        ///
        /// An answer beyond the longest message of a bus costs the provider its connection, and everybody their open
        /// keyring. The first call stays below it whatever the values are; the next ones go by the largest value so far.
        private struct Portions {
            private static let first = 64
            /// Where a provider went away during the read, it was too much for that bus.
            private static let careful = 16
            private static let most = 2_500
            private static let longestAnswer = 64 << 20

            private(set) var next: Int
            private let isCareful: Bool
            private var largest = 1

            init(careful isCareful: Bool) {
                self.isCareful = isCareful
                next = isCareful ? Self.careful : Self.first
            }

            /// Takes note of a value; on the bus it is up to half as long again.
            mutating func learn(_ length: Int) { largest = max(largest, length) }

            /// Sizes the next portion, so that its call takes a quarter of the deadline at the pace of the last one.
            mutating func advance(after time: Duration, deadline: Duration) {
                guard !isCareful else { return }
                let bySize = Self.longestAnswer / (2 * largest)
                let byTime = Double(next) * (deadline / 4 / max(time, .microseconds(1)))
                next = max(Self.careful, min(Self.most, bySize, Int(min(byTime, Double(Self.most)))))
            }
        }

        private let items: [Listed]
        private let changes: Int
        private let context: SecretServiceEngine.Context
        private let session: SecretSession
        private var found: [(key: EntryKey, secret: Secret)] = []
        private var hasUnlocked = false

        /// Reads secrets; an item that went away meanwhile is left out.
        ///
        /// - Parameters:
        ///   - items: The items.
        ///   - changes: How many signals of changes there had been before it was known what they are.
        ///   - context: The operation.
        /// - Returns: The secrets, in any order.
        /// - Throws: What concerns the provider, not one item.
        static func read(
            _ items: [Listed], since changes: Int, _ context: SecretServiceEngine.Context
        ) throws(BusFailure) -> [(key: EntryKey, secret: Secret)] {
            guard !items.isEmpty else { return [] }
            var reading = BulkSecrets(items: items, changes: changes, context: context, session: try context.session())
            try reading.run()
            return reading.found
        }

        private mutating func run() throws(BusFailure) {
            found.reserveCapacity(items.count)
            var portions = Portions(careful: context.isLastTry)
            var next = 0
            while next < items.count {
                let (seen, start) = (found.count, ContinuousClock.now)
                let portion = items[next..<min(next + portions.next, items.count)]
                try read(portion)
                next = portion.endIndex
                for case .value(let value) in found[seen...].lazy.map(\.secret) { portions.learn(value.bytes.count) }
                portions.advance(after: .now - start, deadline: context.engine.options.deadline)
            }
        }

        private mutating func read(_ portion: ArraySlice<Listed>) throws(BusFailure) {
            let provider = context.provider
            var values: [ObjectPath: BusValue] = [:]
            _ = try ask(portion.map(\.path)[...], &values)
            // That none decrypts is the session's fault, not theirs, unless the session is new.
            if !context.isLastTry, session.isEncrypted, !values.isEmpty,
                values.values.allSatisfy({ (try? session.decode($0)) == nil })
            {
                throw BusFailure(kind: .noSession)
            }
            // A path may have been given to another item since its attributes were read.
            let changed = provider.items.changed(portion.map(\.path), since: changes)
            var doubtful: [Listed] = []
            for (key, path) in portion {
                if let value = values[path], !changed.contains(path), let secret = try secret(value) {
                    found.append((key, secret))
                } else {
                    doubtful.append((key, path))
                }
            }
            if !doubtful.isEmpty { try readAgain(doubtful, values) }
        }

        /// Looks again at items whose secrets did not come, or perhaps are not theirs.
        ///
        /// - Parameters:
        ///   - doubtful: The items.
        ///   - values: What came.
        /// - Throws: What concerns the provider, not one item.
        private mutating func readAgain(
            _ doubtful: [Listed], _ values: [ObjectPath: BusValue]
        ) throws(BusFailure) {
            var present = try lookAgain(doubtful)
            if !hasUnlocked, present.contains(where: \.isLocked) {
                hasUnlocked = true
                if try context.unlock(among: items[...]) { present = try lookAgain(doubtful) }
            }
            // Between two looks at the same attributes came the secret that belongs to them.
            var values = values
            for (path, value) in values where try secret(value) == nil { values[path] = nil }
            let missing = present.filter { !$0.isLocked && values[$0.path] == nil }.map(\.path)
            try collect(missing[...], &values)
            for (key, path, isLocked) in present {
                if isLocked {
                    found.append((key, .omitted(.locked)))
                } else if let value = values[path] {
                    found.append((key, try secret(value) ?? emptySecret))
                } else {
                    found.append((key, try single(path)))
                }
            }
        }

        /// Those that still are what they were.
        private func lookAgain(
            _ items: [Listed]
        ) throws(BusFailure) -> [(key: EntryKey, path: ObjectPath, isLocked: Bool)] {
            var present: [(key: EntryKey, path: ObjectPath, isLocked: Bool)] = []
            for ((key, path), (item, isLocked)) in zip(items, try context.look(at: items.map(\.path)))
            where item.attributes.flatMap(context.identity.entry) == key {
                present.append((key, path, isLocked))
            }
            return present
        }

        /// Asks for secrets in one call.
        ///
        /// - Returns: `false` where it failed as a whole because of one of them.
        private func ask(
            _ paths: ArraySlice<ObjectPath>, _ values: inout [ObjectPath: BusValue]
        ) throws(BusFailure) -> Bool {
            let call = context.provider.secrets(of: Array(paths), session)
            switch try context.provider.exchange([call], until: context.renewed.deadline)[0] {
            case .success(let reply):
                values.merge(try Provider.secrets(in: reply)) { $1 }
                return true
            case .failure(let failure) where failure.kind == .noSession: throw failure
            case .failure: return false
            }
        }

        /// One call for all; where it fails as a whole, one for each half.
        private func collect(
            _ paths: ArraySlice<ObjectPath>, _ values: inout [ObjectPath: BusValue]
        ) throws(BusFailure) {
            guard !paths.isEmpty, try !ask(paths, &values), paths.count > 1 else { return }
            let middle = paths.startIndex + paths.count / 2
            try collect(paths[paths.startIndex..<middle], &values)
            try collect(paths[middle..<paths.endIndex], &values)
        }

        /// One secret; `nil` for an empty one, which may stand for another.
        private func secret(_ value: BusValue) throws(BusFailure) -> Secret? {
            do throws(BusFailure) {
                let stored = try session.decode(value)
                return stored.bytes.count == 0 ? nil : .value(StoredForm.decode(stored))
            } catch {
                guard error.kind != .malformed else { throw error }
                return .omitted(.damaged)
            }
        }

        /// What the empty secret of an open item is; see ``SecretServiceEngine/Context/checked(_:of:)``.
        private var emptySecret: Secret {
            context.provider.wallet == nil ? .value(SharedSecret(SecureBuffer(count: 0))) : .omitted(.damaged)
        }

        /// Asks for one secret that the provider left out.
        private func single(_ item: ObjectPath) throws(BusFailure) -> Secret {
            let call = context.provider.call("Item", "GetSecret", on: item, [.path(session.path)])
            switch try context.provider.exchange([call], until: context.renewed.deadline)[0] {
            case .success(let reply):
                guard let value = reply.first else { throw .malformed }
                return try secret(value) ?? emptySecret
            case .failure(let failure): return .omitted(failure.kind == .isLocked ? .locked : .damaged)
            }
        }
    }
#endif

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

        let context: SecretServiceEngine.Context

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

            mutating func advance() {
                guard !isCareful else { return }
                next = min(Self.most, max(Self.careful, Self.longestAnswer / (2 * largest)))
            }
        }

        /// Reads secrets; an item that went away meanwhile is left out.
        func read(_ items: [Listed]) throws(BusFailure) -> [(key: EntryKey, secret: Secret)] {
            var found: [(key: EntryKey, secret: Secret)] = []
            found.reserveCapacity(items.count)
            guard !items.isEmpty else { return found }
            let session = try context.session()
            var portions = Portions(careful: context.isLastTry)
            var rest = items[...]
            while !rest.isEmpty {
                let seen = found.count
                try read(Array(rest.prefix(portions.next)), session, into: &found)
                rest = rest.dropFirst(portions.next)
                for case .value(let value) in found[seen...].lazy.map(\.secret) { portions.learn(value.bytes.count) }
                portions.advance()
            }
            return found
        }

        private func read(
            _ items: [Listed], _ session: SecretSession, into found: inout [(key: EntryKey, secret: Secret)]
        ) throws(BusFailure) {
            let changes = context.provider.itemChanges
            let open = items.filter { !$0.item.isLocked }
            var values: [ObjectPath: BusValue] = [:]
            if !open.isEmpty { try collect(open.map(\.item.path)[...], session, &values) }
            // A path may have been given to another item since its attributes were read.
            let isQuiet = context.provider.itemChanges == changes && open.allSatisfy { values[$0.item.path] != nil }
            let present = isQuiet ? items : try lookAgain(items)
            // That none decrypts is the session's fault, not theirs, unless the session is new.
            if !context.isLastTry, session.isEncrypted, !values.isEmpty,
                values.values.allSatisfy({ (try? session.decode($0)) == nil })
            {
                throw BusFailure(kind: .noSession)
            }
            for (key, item) in present {
                if item.isLocked {
                    found.append((key, .omitted(.locked)))
                } else if let value = values[item.path] {
                    found.append((key, try secret(value, item, session)))
                } else {
                    found.append((key, try single(item, session)))
                }
            }
        }

        /// Those that still are what they were.
        private func lookAgain(_ items: [Listed]) throws(BusFailure) -> [Listed] {
            let states = try context.states(of: items.map(\.item.path))
            return zip(items, states).compactMap { listed, state in
                guard let attributes = state.properties?.attributes,
                    context.identity.entry(attributes) == listed.key
                else { return nil }
                return (listed.key, state)
            }
        }

        /// One call for all; where it fails as a whole because of one of them, two for a half each.
        private func collect(
            _ paths: ArraySlice<ObjectPath>, _ session: SecretSession, _ values: inout [ObjectPath: BusValue]
        ) throws(BusFailure) {
            let provider = context.provider
            let call = provider.call(
                "Service", "GetSecrets", on: .service, [.paths(Array(paths)), .path(session.path)])
            switch try provider.exchange([call], until: context.renewed.deadline)[0] {
            case .success(let reply):
                guard case .dictionary(_, let pairs)? = reply.first else { throw .malformed }
                for pair in pairs {
                    guard let path = pair.key.path else { throw .malformed }
                    values[path] = pair.value
                }
            case .failure(let failure) where failure.kind == .noSession: throw failure
            case .failure:
                guard paths.count > 1 else { return }
                let middle = paths.startIndex + paths.count / 2
                try collect(paths[paths.startIndex..<middle], session, &values)
                try collect(paths[middle..<paths.endIndex], session, &values)
            }
        }

        private func secret(
            _ value: BusValue, _ item: ItemState, _ session: SecretSession
        ) throws(BusFailure) -> Secret {
            do throws(BusFailure) {
                return .value(StoredForm.decode(try context.checked(try session.decode(value), of: item)))
            } catch {
                guard error.kind != .malformed else { throw error }
                return .omitted(error.kind == .isLocked ? .locked : .damaged)
            }
        }

        /// Asks for one secret that the provider left out.
        private func single(_ item: ItemState, _ session: SecretSession) throws(BusFailure) -> Secret {
            let call = context.provider.call("Item", "GetSecret", on: item.path, [.path(session.path)])
            switch try context.provider.exchange([call], until: context.renewed.deadline)[0] {
            case .success(let reply):
                guard let value = reply.first else { throw .malformed }
                return try secret(value, item, session)
            case .failure(let failure): return .omitted(failure.kind == .isLocked ? .locked : .damaged)
            }
        }
    }

    extension ItemState {
        var isLocked: Bool { properties?.isLocked ?? true }
    }
#endif

#if SecretService
    internal import CredentialStorage

    /// Finds the collection that a store is in.
    struct CollectionSearch {
        enum Target: Sendable, Equatable {
            case alias(String)
            case label(String)
            /// A collection that stands for an access group.
            case group(String)

            static let `default` = Target.alias("default")
        }

        let provider: Provider
        let target: Target

        /// What the caller is told where the collection is not there or not what it should be.
        var absence: BusFailure {
            switch target {
            case .alias: .unavailable(.noDefaultCollection)
            case .label, .group: .unavailable(.groupUnusable)
            }
        }

        /// The collection and whether it is locked; `nil` when there is none.
        ///
        /// - Parameters:
        ///   - deadline: When to give up.
        ///   - former: What an alias has led to before; where it still does, one round trip is enough.
        /// - Returns: The collection.
        /// - Throws: What the provider answers; ``absence`` where nothing stands at the path.
        func run(
            until deadline: Deadline, expecting former: ObjectPath? = nil
        ) throws(BusFailure) -> (path: ObjectPath, isLocked: Bool)? {
            // gnome-keyring has none for a moment while it takes over what it finds on its disk.
            guard case .alias = target, provider.tellsEveryChange else {
                return try look(until: deadline, expecting: former)
            }
            var patience = deadline.patience(atMost: .milliseconds(400))
            while true {
                let result = Result { () throws(BusFailure) in try look(until: deadline, expecting: former) }
                switch result {
                case .success(let found?): return found
                case .failure(let failure) where failure.decided != absence.decided: throw failure
                case .success(nil), .failure: if try !patience.nap() { return try result.get() }
                }
            }
        }

        private func look(
            until deadline: Deadline, expecting former: ObjectPath?
        ) throws(BusFailure) -> (path: ObjectPath, isLocked: Bool)? {
            guard case .alias(let alias) = target, let former else {
                guard let path = try find(deadline) else { return nil }
                return (path, try isLocked(path, until: deadline))
            }
            let calls = [aliasCall(alias), provider.property("Locked", of: "Collection", on: former)]
            let results = try provider.exchange(calls, until: deadline)
            guard let path = try results[0].get().first?.path else { throw .malformed }
            guard !path.isNone else { return nil }
            return (path, try path == former ? Self.state(results[1], absence) : isLocked(path, until: deadline))
        }

        private func aliasCall(_ alias: String) -> BusCall {
            provider.call("Service", "ReadAlias", on: .service, [.string(alias)])
        }

        /// Whether a collection is locked.
        ///
        /// - Throws: ``absence`` where nothing stands at the path, or something that is no collection: an alias may lead
        ///   to an object that the provider does not show.
        func isLocked(_ path: ObjectPath, until deadline: Deadline) throws(BusFailure) -> Bool {
            try Self.state(
                provider.exchange([provider.property("Locked", of: "Collection", on: path)], until: deadline)[0],
                absence)
        }

        /// Whether the provider no longer has a collection.
        func isGone(_ path: ObjectPath, until deadline: Deadline) throws(BusFailure) -> Bool {
            try !collections(deadline).contains(path)
        }

        static func state(_ result: BusResult, _ absence: BusFailure) throws(BusFailure) -> Bool {
            switch result {
            case .success(let values):
                guard let isLocked = values.first?.inside?.boolean else { throw .malformed }
                return isLocked
            case .failure(let failure) where failure.kind == .noSuchObject || failure.kind == .invalidArguments:
                throw absence
            case .failure(let failure): throw failure
            }
        }

        private func find(_ deadline: Deadline) throws(BusFailure) -> ObjectPath? {
            switch target {
            case .alias(let alias):
                let reply = try provider.answer(aliasCall(alias), until: deadline)
                guard let path = reply.first?.path else { throw .malformed }
                return path.isNone ? nil : path
            case .label(let label), .group(let label): return try find(labelled: label, deadline)
            }
        }

        private func find(labelled label: String, _ deadline: Deadline) throws(BusFailure) -> ObjectPath? {
            let paths = try collections(deadline)
            let labels = try provider.exchange(
                paths.map { provider.property("Label", of: "Collection", on: $0) }, until: deadline)
            // A collection without a label, or one that is only named and not there, is none that anybody asked for.
            let found = zip(paths, labels).filter { _, result in
                (try? result.get())?.first?.inside?.string?.utf8.elementsEqual(label.utf8) ?? false
            }
            guard found.count < 2 else { throw .store(.cause(.ambiguous)) }
            return found.first?.0
        }

        private func collections(_ deadline: Deadline) throws(BusFailure) -> [ObjectPath] {
            let reply = try provider.answer(
                provider.property("Collections", of: "Service", on: .service), until: deadline)
            guard let paths = reply.first?.inside?.paths else { throw .malformed }
            return paths
        }
    }
#endif

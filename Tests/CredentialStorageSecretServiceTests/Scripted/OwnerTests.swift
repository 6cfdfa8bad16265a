#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("A provider that comes and goes", .serialized, .timeLimit(.minutes(5)))
    struct OwnerTests {
        private static let provider = Shared { try ScriptedProvider() }

        private func begin(_ behaviour: String = "normal", _ changes: [String: Any] = [:]) throws -> ScriptedProvider {
            let provider = try Self.provider.get()
            try provider.begin(behaviour, changes)
            return provider
        }

        @Test("a store follows the name from one owner to the next, and is locked with the one that is")
        func owners() throws {
            let provider = try begin()
            let store = provider.bus.store
            #expect(Operation.get.run(store) == .value("value"))
            try provider.changeOwner(locked: true)
            for operation in Operation.allCases { #expect(operation.run(store) == .unavailable(.locked)) }
            try provider.changeOwner(locked: false)
            for operation in Operation.allCases where operation != .delete {
                #expect(operation.run(store) != .unavailable(.locked))
            }
            #expect(try provider.items().count == 2)
        }

        @Test("an owner without our entries says that they are absent, whatever was seen before")
        func emptyOwner() throws {
            let provider = try begin()
            let store = provider.bus.store
            #expect(Operation.get.run(store) == .value("value"))
            try provider.changeOwner(isEmpty: true)
            #expect(Operation.get.run(store) == .value(nil))
            #expect(Operation.readAll.run(store) == .read([], omitted: [:], lost: 0))
            #expect(Operation.delete.run(store) == .deleted(false))
        }

        @Test("a provider that went away is no provider, and is used again when it is back")
        func away() throws {
            let provider = try begin()
            let store = provider.bus.store
            #expect(Operation.get.run(store) == .value("value"))
            try provider.leave()
            for operation in Operation.allCases { #expect(operation.run(store) == .unavailable(.noProvider)) }
            try provider.changeOwner()
            #expect(Operation.get.run(store) == .value("value"))
        }

        @Test("a call that a restart cuts off is made once more with the new provider")
        func restartInMidCall() throws {
            for (member, operation) in [
                ("Service.SearchItems", Operation.get), ("Collection.SearchItems", .get), ("Item.GetSecret", .get),
                ("Service.GetSecrets", .readAll), ("Service.OpenSession", .get), ("Service.ReadAlias", .get),
            ] {
                let provider = try begin("normal", ["gone": [member], "has_successor": true])
                let store = provider.bus.store
                #expect(operation.run(store) == operation.fine, "\(member)")
            }
        }

        @Test("a session that the provider has forgotten is opened anew, once")
        func forgottenSession() throws {
            let provider = try begin()
            let store = provider.bus.store
            #expect(Operation.get.run(store) == .value("value"))
            try provider.forgetSessions()
            _ = try provider.counts(clear: true)
            for operation in [Operation.get, .set, .readAll] {
                if case .unavailable = operation.run(store) { Issue.record("\(operation)") }
            }
            // One in 128 agreements ends in a number with a leading zero, and is made again.
            #expect(try (1...2).contains(provider.counts()["Service.OpenSession", default: 0]))
        }

        @Test("the bus itself may end: a typed error, and no exit of the process")
        func busEnds() throws {
            let provider = try ScriptedProvider()
            try provider.begin("normal")
            let store = provider.bus.store
            #expect(Operation.get.run(store) == .value("value"))
            try provider.bus.endDaemon()
            for operation in Operation.allCases {
                let answer = try within(patience(.seconds(5))) { operation.run(store) }
                let possible: [Answer] = [.busRefused, .noSessionBus, .providerLost].map { .unavailable($0) }
                #expect(possible.contains(answer), "\(operation): \(answer)")
            }
        }
    }
#endif

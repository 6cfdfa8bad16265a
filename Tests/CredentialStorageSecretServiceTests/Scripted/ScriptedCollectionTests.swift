#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Which collection a store is in", .serialized, .timeLimit(.minutes(5)))
    struct ScriptedCollectionTests {
        private static let provider = Shared { try ScriptedProvider() }
        private let person = BehaviourRow.Prompts.allowed(deadline: .seconds(10))

        private func begin(_ behaviour: String = "normal") throws -> ScriptedProvider {
            let provider = try Self.provider.get()
            try provider.begin(behaviour)
            return provider
        }

        @Test("a label is found among collections without one and collections that are not there")
        func label() throws {
            let provider = try begin("odd collections")
            #expect(Operation.get.run(provider.bus.builder().collection(.labelled("Main")).build()) == .value("value"))
            for label in ["", "Nowhere", "main", "Main\0"] {
                let store = provider.bus.builder().collection(.labelled(label)).build()
                for operation in Operation.allCases {
                    #expect(operation.run(store) == .unavailable(.groupUnusable), "\(operation)")
                }
            }
            #expect(try provider.counts()["Service.CreateCollection"] == nil)
        }

        @Test("two collections of one label are ambiguous, and neither is used")
        func twins() throws {
            let provider = try begin()
            try provider.addCollection("one", label: "Twin")
            try provider.addCollection("two", label: "Twin")
            let store = provider.bus.builder().collection(.labelled("Twin")).build()
            for operation in Operation.allCases { #expect(operation.run(store) == .refused(.ambiguous)) }
            #expect(try provider.items().count == 1)
        }

        @Test("items of another collection are not seen, whatever they have")
        func otherCollection() throws {
            let provider = try begin()
            let path = try provider.addCollection("other", label: "Other")
            try provider.add(attributes("elsewhere"), value: Data("theirs".utf8), ["collection": path])
            try provider.add(attributes("present"), value: Data("theirs".utf8), ["collection": path])
            let store = provider.bus.store
            #expect(Operation.readAll.run(store) == Operation.readAll.fine)
            #expect(Operation.get.run(store) == .value("value"))
            #expect(Operation.replace.run(store) == .done)
            try store.deleteAll()
            #expect(try provider.items().map(\.value) == [Data("theirs".utf8), Data("theirs".utf8)])
        }

        @Test("a collection of an access group is made by a write where a person may be asked, and only there")
        func group() throws {
            let provider = try begin()
            for prompts in [BehaviourRow.Prompts.silent, .never] {
                let store = provider.bus.builder().accessGroup("suite").prompts(prompts).build()
                for operation in Operation.allCases {
                    #expect(operation.run(store) == .unavailable(.groupUnusable), "\(operation)")
                }
            }
            #expect(try provider.counts()["Service.CreateCollection"] == nil)
            let store = provider.bus.builder().accessGroup("suite").prompts(person).build()
            #expect(Operation.get.run(store) == .unavailable(.groupUnusable))
            #expect(Operation.set.run(store) == .done)
            #expect(Operation.set.run(store) == .done)
            #expect(try provider.counts()["Service.CreateCollection"] == 1)
            #expect(try store.get("fresh") == Data("another".utf8))
            // The private namespace has what it had.
            #expect(Operation.readAll.run(provider.bus.store) == Operation.readAll.fine)
        }

        @Test("a dismissed question for a new collection is a dismissal, and nothing is written")
        func dismissedGroup() throws {
            let provider = try begin("dismissed")
            let store = provider.bus.builder().accessGroup("suite").prompts(person).build()
            #expect(Operation.set.run(store) == .unavailable(.promptDismissed))
            #expect(try provider.items().count == 1)
        }

        @Test("names of services and groups that are not valid are refused before the bus is asked")
        func invalidNames() throws {
            let provider = try begin()
            for name in ["", "-a", ".a", "a b", "a/b", String(repeating: "a", count: 129)] {
                for store in [
                    provider.bus.builder(name).build(), provider.bus.builder().accessGroup(name).build(),
                ] {
                    for operation in Operation.allCases { #expect(operation.run(store) == .refused(.invalidService)) }
                }
            }
            #expect(try provider.counts() == [:])
        }
    }
#endif

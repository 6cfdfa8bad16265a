#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Bulk reads", .serialized, .timeLimit(.minutes(5)))
    struct BulkTests {
        /// On a bus of its own: the store notes the kind of its provider beside its locks.
        private static let provider = Shared { try ScriptedProvider() }

        /// A provider that is taken for gnome-keyring, with so many entries beside the one that is always there.
        private func begin(
            _ count: Int = 0, _ behaviour: String = "normal", isKnown: Bool = true, _ changes: [String: Any] = [:]
        ) throws -> ScriptedProvider {
            let provider = try Self.provider.get()
            try provider.begin(behaviour, isKnown ? changes.merging(["names": ["org.gnome.keyring"]]) { $1 } : changes)
            for index in 0..<count {
                try provider.add(attributes("entry \(index)"), value: Data("value \(index)".utf8))
            }
            _ = try provider.counts(clear: true)
            return provider
        }

        private func path(_ name: String, _ provider: ScriptedProvider) throws -> String {
            try #require(try provider.items().first { $0.attributes["account"] == name }).path
        }

        /// How often attributes were asked for since the last time.
        private func looks(_ provider: ScriptedProvider) throws -> Int {
            try provider.counts(clear: true)["Item.Attributes", default: 0]
        }

        @Test("a provider that tells of every change is asked once what its items are, and again about changed ones")
        func told() throws {
            let provider = try begin(20)
            let store = provider.bus.builder().deadline(.seconds(60)).build()
            #expect(try store.readAll().entries.count == 21)
            #expect(try looks(provider) == 21)
            #expect(try store.readAll().entries.count == 21)
            #expect(try looks(provider) == 0)

            try provider.change(try path("entry 3", provider), to: attributes("renamed"), tells: true)
            try provider.change(try path("entry 4", provider), to: nil, tells: true)
            try provider.change(
                try path("entry 5", provider), to: attributes("entry 5", service: "org.example.other"), tells: true)
            try provider.add(attributes("added"), value: Data("new".utf8))
            let bulk = try store.readAll()
            #expect(bulk.entries.count == 20 && bulk.omitted == [])
            #expect(bulk[key: "renamed"] == Data("value 3".utf8) && bulk[key: "added"] == Data("new".utf8))
            for gone in ["entry 3", "entry 4", "entry 5"] { #expect(bulk[key: gone] == nil) }
            #expect(try looks(provider) == 2)
            #expect(try store.keys().count == 20)
        }

        @Test("a keyring that was exchanged without a signal is not read under the names of the one before")
        func exchanged() throws {
            let provider = try begin(3)
            let store = provider.bus.builder().deadline(.seconds(60)).build()
            #expect(try store.readAll().entries.count == 4)
            let (one, other) = (try path("entry 1", provider), try path("entry 2", provider))
            try provider.change(one, to: attributes("entry 2"), tells: false)
            try provider.change(other, to: attributes("entry 1"), tells: false)
            let bulk = try store.readAll()
            #expect(bulk[key: "entry 1"] == Data("value 2".utf8) && bulk[key: "entry 2"] == Data("value 1".utf8))
        }

        @Test(
            "an item that is changed after it was looked at is not read under its former name",
            arguments: [true, false])
        func overtaken(_ isKnown: Bool) throws {
            let provider = isKnown ? try begin(70) : try ScriptedProvider()
            if !isKnown {
                try provider.begin("normal")
                for index in 0..<70 {
                    try provider.add(attributes("entry \(index)"), value: Data("value \(index)".utf8))
                }
            }
            let (first, last) = (try path("entry 0", provider), try path("entry 69", provider))
            for renamed in [attributes("renamed"), attributes("entry 0", service: "org.example.other")] {
                try provider.adjust(["changes": [last: [first, renamed]]])
                let bulk = try provider.bus.builder().deadline(.seconds(60)).build().readAll()
                #expect(bulk[key: "entry 0"] == nil)
                #expect(bulk.entries.count == 70)
                try provider.change(first, to: attributes("entry 0"), tells: true)
            }
        }

        @Test("what was known of a provider says nothing about the next one")
        func restarted() throws {
            let provider = try begin(3)
            let store = provider.bus.store
            #expect(try store.readAll().entries.count == 4)
            let path = try path("entry 1", provider)
            try provider.change(path, to: attributes("in its place"), tells: false)
            try provider.changeOwner()
            let bulk = try store.readAll()
            #expect(bulk[key: "in its place"] == Data("value 1".utf8) && bulk[key: "entry 1"] == nil)
        }

        @Test("a provider of which nothing is known is asked each time")
        func unknown() throws {
            // No note of another provider may stand in the way.
            let provider = try ScriptedProvider()
            try provider.begin("normal")
            let store = provider.bus.store
            #expect(try store.readAll().entries.map(\.key) == ["present"])
            try provider.change(try path("present", provider), to: attributes("renamed"), tells: false)
            #expect(try store.readAll().entries == [Entry(key: "renamed", value: Data("value".utf8))])
            #expect(try store.keys() == ["renamed"])
        }

        @Test("what is removed is looked at first, whatever is known of it")
        func removal() throws {
            let provider = try begin(3)
            let store = provider.bus.store
            #expect(try store.readAll().entries.count == 4)
            let foreign = attributes("entry 1").merging(["extra": "1"]) { $1 }
            try provider.change(try path("entry 1", provider), to: foreign, tells: false)
            try store.deleteAll()
            #expect(try provider.items().map(\.attributes) == [foreign])
        }

        @Test("an entry that was found is looked at again before it is read, replaced or removed")
        func reused() throws {
            let provider = try begin(1)
            let store = provider.bus.store
            let foreign = attributes("entry 0").merging(["extra": "1"]) { $1 }
            for operation in ["read", "replace", "remove"] {
                try store.set("ours", forKey: "entry 0")
                let path = try #require(try provider.items().first { $0.attributes == attributes("entry 0") }).path
                try provider.change(path, to: foreign, tells: false)
                switch operation {
                case "read": #expect(try store.get("entry 0") == nil)
                case "replace": try store.set("new", forKey: "entry 0")
                default: #expect(try store.delete("entry 0") == false)
                }
                let left = try provider.items().filter { $0.attributes == foreign }
                #expect(left.map(\.value).last == Data("ours".utf8), "\(operation)")
            }
            #expect(try provider.items().count { $0.attributes == foreign } == 3)
        }

        @Test("a provider that is slow and answers gets its time anew, and one that falls silent does not")
        func progress() throws {
            let deadline = Duration.seconds(2)
            let slow = try begin(320, "normal", ["late": ["Item.Attributes": 0.5]])
            let start = ContinuousClock.now
            #expect(try slow.bus.builder().deadline(deadline).build().readAll().entries.count == 321)
            #expect(ContinuousClock.now - start > deadline)

            for silent in [["Item.Attributes": 100], ["Service.GetSecrets": 1]] {
                let provider = try begin(320, "normal", ["silent_after": silent])
                let store = provider.bus.builder().deadline(deadline).build()
                // What came before the silence took its own time.
                let answer = try within(patience(deadline * 2)) { Operation.readAll.run(store) }
                #expect(answer == .unavailable(.timedOut), "\(silent)")
            }
        }

        @Test("many locked items are opened by one dialog, or all named")
        func locked() throws {
            let provider = try begin(150, "locked item")
            let person = BehaviourRow.Prompts.allowed(deadline: .seconds(60))
            let silent = try provider.bus.builder().deadline(.seconds(60)).build().readAll()
            #expect(silent.entries.isEmpty && silent.omitted.count == 151)
            #expect(silent.omitted.allSatisfy { $0.reason == .locked && $0.key != nil })
            #expect(try provider.counts(clear: true)["Prompt.Prompt"] == nil)
            let bulk = try provider.bus.builder().deadline(.seconds(60)).prompts(person).build().readAll()
            #expect(bulk.entries.count == 151 && bulk.omitted.isEmpty)
            #expect(try provider.counts()["Prompt.Prompt"] == 1)
        }

        @Test("an empty secret of a locked item is not the value", arguments: [true, false])
        func empty(_ isLocked: Bool) throws {
            let provider = try begin(2, "normal", ["empty_when_locked": true, "unlock": "never"])
            try provider.add(attributes("empty"), value: Data(), ["locked": isLocked])
            let bulk = try provider.bus.store.readAll()
            #expect(bulk.entries.count == (isLocked ? 3 : 4))
            #expect(bulk.omitted == (isLocked ? [OmittedEntry(key: "empty", reason: .locked)] : []))
            let answer = Result { try provider.bus.store.get("empty") }
            if isLocked {
                #expect(throws: (any Error).self) { try answer.get() }
            } else {
                #expect(try answer.get() == Data())
            }
        }
    }
#endif

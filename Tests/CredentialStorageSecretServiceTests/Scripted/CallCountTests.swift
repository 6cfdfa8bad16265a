#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("How often the provider is asked", .serialized, .timeLimit(.minutes(5)))
    struct CallCountTests {
        private static let provider = Shared { try ScriptedProvider() }

        private func begin(_ behaviour: String = "normal") throws -> ScriptedProvider {
            let provider = try Self.provider.get()
            try provider.begin(behaviour)
            return provider
        }

        @Test("sixty-four tasks at first use open one session")
        func oneSession() async throws {
            let provider = try begin("late")
            let store = provider.bus.builder().deadline(.seconds(60)).build()
            try await withThrowingTaskGroup(of: Data?.self) { group in
                for _ in 0..<64 { group.addTask { try await store.get("present") } }
                for try await value in group { #expect(value == Data("value".utf8)) }
            }
            // One in 128 agreements ends in a number with a leading zero, and is made again.
            #expect(try (1...2).contains(provider.counts()["Service.OpenSession", default: 0]))
        }

        @Test("ten reads of a locked collection ask a person once")
        func onePrompt() throws {
            let provider = try begin("locked collection")
            try provider.adjust(["prompt_delay": 0.5])
            let store = provider.bus.builder().prompts(.allowed(deadline: .seconds(60))).build()
            for result in try onThreads(10, { _ in try store.get("present") }) {
                #expect(try result.get() == Data("value".utf8))
            }
            #expect(try provider.counts()["Prompt.Prompt"] == 1)
            #expect(try provider.counts()["Service.Unlock"] == 1)
        }

        @Test("one dismissal is the answer to all ten reads")
        func oneDismissal() throws {
            let provider = try begin("dismissed")
            try provider.adjust(["prompt_delay": 0.5])
            let store = provider.bus.builder().prompts(.allowed(deadline: .seconds(60))).build()
            for result in try onThreads(10, { _ in Operation.get.run(store) }) {
                #expect(try result.get() == .unavailable(.promptDismissed))
            }
            #expect(try provider.counts()["Prompt.Prompt"] == 1)
        }

        @Test("a collection that opens by itself is unlocked once, and nobody is asked")
        func oneUnlock() throws {
            let provider = try begin("unlocks without prompt, and finds nothing before")
            #expect(try provider.bus.store.get("present") == Data("value".utf8))
            #expect(try provider.counts()["Service.Unlock"] == 1)
            #expect(try provider.counts()["Prompt.Prompt"] == nil)
        }

        @Test("no dialog is called for without permission", arguments: ["locked collection", "locked item"])
        func noPrompt(_ behaviour: String) throws {
            let provider = try begin(behaviour)
            for prompts in [BehaviourRow.Prompts.silent, .never] {
                let store = provider.bus.builder().prompts(prompts).build()
                for operation in Operation.allCases { _ = operation.run(store) }
            }
            #expect(try provider.counts()["Prompt.Prompt"] == nil)
        }

        @Test("no collection is made that nobody asked for")
        func noNewCollection() throws {
            for behaviour in ["no object at the alias path", "alias absent", "locked collection", "normal"] {
                let provider = try begin(behaviour)
                let store = provider.bus.builder().prompts(.allowed(deadline: .seconds(10))).build()
                for operation in Operation.allCases { _ = operation.run(store) }
                #expect(try provider.counts()["Service.CreateCollection"] == nil, "\(behaviour)")
            }
        }

        @Test("two hundred entries are read with one more GetSecrets than two")
        func bulk() throws {
            let provider = try begin()
            func secrets(_ count: Int) throws -> Int {
                for index in 0..<count {
                    try provider.add(attributes("entry \(index)"), value: Data("value \(index)".utf8))
                }
                _ = try provider.counts(clear: true)
                // A deadline that no machine is too slow for: what one call asks for also goes by the pace.
                let store = provider.bus.builder().deadline(.seconds(120)).build()
                #expect(try store.readAll().entries.count == count + 1)
                let counts = try provider.counts()
                #expect(counts["Item.GetSecret"] == nil)
                return counts["Service.GetSecrets", default: 0]
            }
            let few = try secrets(2)
            try provider.begin("normal")
            #expect(few >= 1)
            #expect(try secrets(200) == few + 1)
        }

        @Test("an entry that was read just now is read by one call, where the provider tells of every change")
        func warm() throws {
            let provider = try Self.provider.get()
            try provider.begin("normal", ["names": ["org.gnome.keyring"]])
            let store = provider.bus.builder().deadline(.seconds(60)).build()
            let path = try #require(try provider.items().first).path
            func asked(_ expected: String?) throws -> [String: Int] {
                // Once in a second the collection is asked when it was changed, which may be now.
                var fewest: [String: Int] = [:]
                for _ in 0..<5 {
                    _ = try store.get("present")
                    _ = try provider.counts(clear: true)
                    #expect(try store.string(forKey: "present") == expected)
                    let counts = try provider.counts(clear: true)
                    if fewest.isEmpty || counts.values.reduce(0, +) < fewest.values.reduce(0, +) { fewest = counts }
                }
                return fewest
            }
            #expect(try asked("value") == ["Service.GetSecrets": 1])
            // A file that was exchanged is noticed a second later.
            try provider.change(path, to: attributes("exchanged"), tells: false)
            let until = ContinuousClock.now + .seconds(30)
            while try store.get("present") != nil, .now < until { pause(for: .milliseconds(20)) }
            #expect(try store.get("present") == nil)
            try provider.change(path, to: attributes("present"), tells: false)
            #expect(try store.string(forKey: "present") == "value")
            // What happens to it is noticed at once.
            try provider.change(path, to: attributes("renamed"), tells: true)
            #expect(try store.get("present") == nil)
            #expect(try store.string(forKey: "renamed") == "value")
            try provider.change(path, to: attributes("present"), tells: true)
            #expect(try store.string(forKey: "present") == "value")
            try provider.change(path, to: nil, tells: true)
            #expect(try store.get("present") == nil)
            let next = try provider.add(attributes("present"), value: Data("next".utf8))
            #expect(try asked("next") == ["Service.GetSecrets": 1])
            try store.lock()
            #expect(Operation.get.run(store) == .unavailable(.locked))
            try provider.setLocked(false)
            #expect(try store.string(forKey: "present") == "next")
            #expect(next != path)
        }

        @Test("each operation asks for what it needs and nothing else")
        func calls() throws {
            let provider = try begin()
            try provider.add(attributes("second"), value: Data("two".utf8))
            let store = provider.bus.builder().deadline(.seconds(60)).build()
            let look = ["Service.ReadAlias": 1, "Collection.Locked": 2, "Collection.SearchItems": 1]
            @discardableResult
            func expecting<R>(
                _ calls: [String: Int], sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> R
            ) throws -> R {
                _ = try provider.counts(clear: true)
                let result = try body()
                var counts = try provider.counts()
                counts["Service.OpenSession"] = nil
                #expect(counts == calls, sourceLocation: sourceLocation)
                return result
            }
            let fetch = ["Item.Attributes": 1, "Item.GetSecret": 1]
            let check = ["Item.Attributes": 1, "Item.Locked": 1]
            func sum(_ all: [String: Int]...) -> [String: Int] {
                all.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
            }

            try expecting(sum(look, fetch)) { try store.get("present") }
            let again = ["Item.Attributes": 1, "Service.GetSecrets": 1]
            for _ in 0..<3 { try expecting(again) { try store.get("present") } }
            try expecting(look) { try store.get("absent") }
            try expecting(sum(check, ["Item.SetSecret": 1])) { try store.set("new", forKey: "present") }
            try expecting(sum(look, check, ["Item.SetSecret": 1])) { try store.set("new", forKey: "second") }
            // After it made an item it looks whether somebody else has made the same.
            let made = ["Collection.CreateItem": 1, "Collection.SearchItems": 1, "Collection.Locked": 1]
            try expecting(sum(look, made)) { try store.set("new", forKey: "fresh") }
            #expect(try expecting(sum(check, ["Item.Delete": 1])) { try store.delete("fresh") })
            let bulk = ["Item.Attributes": 2, "Service.GetSecrets": 1]
            #expect(try expecting(sum(look, bulk)) { try store.readAll().entries.count } == 2)
            #expect(try expecting(sum(look, ["Item.Attributes": 2])) { try store.keys().count } == 2)
        }
    }
#endif

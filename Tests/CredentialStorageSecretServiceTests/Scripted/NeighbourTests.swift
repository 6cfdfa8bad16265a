#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Items that only look like ours", .serialized, .timeLimit(.minutes(5)))
    struct NeighbourTests {
        private static let provider = Shared { try ScriptedProvider() }

        private func begin(_ behaviour: String) throws -> ScriptedProvider {
            let provider = try Self.provider.get()
            try provider.begin(behaviour)
            return provider
        }

        @Test("items with more or fewer attributes survive every change", arguments: ["normal", "replace on subset"])
        func supersets(_ behaviour: String) throws {
            let provider = try begin(behaviour)
            let more = attributes("present").merging(["extra": "1"]) { $1 }
            var fewer = attributes("present")
            fewer["account"] = nil
            for foreign in [more, fewer, ["account": "present"], ["service": service, "account": "present"]] {
                try provider.add(foreign, value: Data("theirs".utf8), ["label": "theirs"])
            }
            let theirs = try provider.items().filter { $0.label == "theirs" }
            #expect(theirs.count == 4)
            let store = provider.bus.store
            #expect(try store.get("present") == Data("value".utf8))
            try store.set("mine", forKey: "present")
            try store.set("mine too", forKey: "fresh")
            #expect(try store.readAll().entries.map(\.key) == ["fresh", "present"])
            #expect(try store.delete("present"))
            #expect(try store.delete("present") == false)
            #expect(try store.get("present") == nil)
            try store.deleteAll()
            #expect(try provider.items() == theirs)
        }

        @Test("two items with exactly our attributes are ambiguous, and neither is touched")
        func duplicates() throws {
            let provider = try begin("normal")
            try provider.add(attributes("present"), value: Data("second".utf8))
            let before = try provider.items()
            let store = provider.bus.store
            #expect(Operation.get.run(store) == .refused(.ambiguous))
            #expect(Operation.replace.run(store) == .refused(.ambiguous))
            #expect(Operation.delete.run(store) == .refused(.ambiguous))
            #expect(try provider.items() == before)
            // Others are not held up by it, and the name is not lost.
            try store.set("another", forKey: "fresh")
            #expect(try store.get("fresh") == Data("another".utf8))
            #expect(try store.keys().contains("present"))
            let bulk = try store.readAll()
            #expect(bulk.entries.map(\.key) == ["fresh"])
            #expect(bulk.omitted == [OmittedEntry(key: "present", reason: .ambiguous)])
        }

        @Test("two items that are one again after a moment are no error", arguments: Operation.allCases)
        func passing(_ operation: Operation) throws {
            let provider = try begin("normal")
            let twin = try provider.add(attributes("present"), value: Data("second".utf8))
            let store = provider.bus.builder().deadline(.seconds(60)).build()
            let answer = Locked<Answer?>(nil)
            onThread {
                let result = operation.run(store)
                answer.notify { $0 = result }
            }
            while try provider.counts()["Collection.SearchItems", default: 0] < 2, answer.withLock({ $0 }) == nil {
                pause(for: .milliseconds(1))
            }
            try provider.change(twin, to: nil, tells: true)
            #expect(answer.wait(until: .now + .seconds(60)) { $0 } == operation.fine)
        }

        @Test("what another has removed meanwhile is no longer there, and what a provider keeps is not called removed")
        func removedMeanwhile() throws {
            let provider = try begin("normal")
            let path = try #require(try provider.items().first).path
            try provider.adjust(["changes": [path: [path, NSNull()]]])
            #expect(Operation.delete.run(provider.bus.store) == .deleted(false))
            try provider.begin("knows no Delete")
            let answer = Answer(of: .delete, within: .seconds(30)) { try provider.bus.store.deleteAll() }
            #expect(answer == .unavailable(.protocolViolation))
            #expect(try provider.items().count == 1)
        }

        @Test(
            "where another client makes the same item at the same time, one item is left, with the value that was set",
            arguments: ["first", "last"], ["normal", "self-completing prompts"])
        func rival(_ place: String, _ behaviour: String) throws {
            let provider = try Self.provider.get()
            try provider.begin(behaviour, ["rival": place])
            let superset = attributes("fresh").merging(["extra": "1"]) { $1 }
            try provider.add(superset, value: Data("theirs".utf8), ["label": "theirs"])
            let store = provider.bus.store
            try store.set("ours", forKey: "fresh")
            let twins = try provider.items().filter { $0.attributes["account"] == "fresh" && $0.label != "theirs" }
            #expect(twins.map(\.value) == [Data("ours".utf8)])
            #expect(try store.get("fresh") == Data("ours".utf8))
            #expect(try provider.items().filter { $0.label == "theirs" }.map(\.value) == [Data("theirs".utf8)])
            #expect(Operation.get.run(store) == .value("value"))
        }

        @Test(
            "a path that leads nowhere hides nothing",
            arguments: [
                "dangling path", "dangling path that fails a bulk read",
            ])
        func dangling(_ behaviour: String) throws {
            let provider = try begin(behaviour)
            try provider.add(attributes("second"), value: Data("two".utf8))
            let store = provider.bus.store
            #expect(try store.get("present") == Data("value".utf8))
            #expect(try store.readAll().entries.map(\.key) == ["present", "second"])
            try store.set("another", forKey: "present")
            #expect(try store.get("present") == Data("another".utf8))
            #expect(try store.delete("present"))
        }

        @Test("what is listed is found: a name that is encoded and need not be is in no list")
        func needlesslyEncoded() throws {
            let provider = try begin("normal")
            let accounts = ["scs1:base64:dGhlaXJz", "raw\nname", "scs1:base64:bGluZQpicmVhaw==", "scs1:base64:?"]
            for account in accounts { try provider.add(attributes(account), value: Data("theirs".utf8)) }
            let before = try provider.items()
            let store = provider.bus.store
            let names = try store.keys()
            #expect(names == ["line\nbreak", "present", "raw\nname", "scs1:base64:?"])
            #expect(try store.readAll().entries.map(\.key) == names)
            for name in names { #expect(try store.get(name) != nil, "\(name)") }
            for name in ["theirs", "scs1:base64:dGhlaXJz"] { #expect(try store.get(name) == nil, "\(name)") }
            // It is nobody's entry, and nobody's to change.
            try store.set("mine", forKey: "theirs")
            #expect(try store.delete("theirs"))
            #expect(try provider.items() == before)
        }

        @Test("one locked item is named, and the others are read")
        func oneLocked() throws {
            let provider = try begin("locked item that fails a bulk read")
            try provider.add(attributes("locked"), value: Data("hidden".utf8))
            let bulk = try provider.bus.store.readAll()
            #expect(bulk.entries.map(\.key) == ["present"])
            #expect(bulk.omitted == [OmittedEntry(key: "locked", reason: .locked)])
            #expect(try provider.bus.store.keys() == ["locked", "present"])
        }

        @Test("names are bytes: composed and decomposed forms are two entries")
        func names() throws {
            let provider = try begin("normal")
            let store = provider.bus.store
            let names = [
                "caf\u{E9}", "cafe\u{301}", "a/b", "..", "a:b\nc\td", "😀", String(repeating: "x", count: 1024),
            ]
            for (index, name) in names.enumerated() { try store.set("value \(index)", forKey: name) }
            for (index, name) in names.enumerated() {
                #expect(try store.get(name) == Data("value \(index)".utf8))
            }
            #expect(try store.keys().count == names.count + 1)
            for name in names { #expect(try store.delete(name)) }
            #expect(try store.keys() == ["present"])
        }
    }
#endif

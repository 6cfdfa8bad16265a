#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("A default collection that becomes another one", .serialized, .timeLimit(.minutes(5)))
    struct HomeTests {
        private static let provider = Shared { try ScriptedProvider() }

        private func begin(_ behaviour: String = "normal") throws -> ScriptedProvider {
            let provider = try Self.provider.get()
            try provider.begin(behaviour)
            return provider
        }

        private func expectElsewhere(
            _ store: SecretServiceStorage, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            for operation in Operation.allCases {
                let answer = operation.run(store)
                #expect(
                    answer == .unavailable(.boundToAnotherProvider), "\(operation)", sourceLocation: sourceLocation)
            }
            let others: [@Sendable () throws -> Void] = [
                { try store.unlock() }, { try store.lock() }, { _ = try store.isLocked },
            ]
            for body in others {
                let answer = Answer(of: .read, within: .seconds(30), body)
                #expect(answer == .unavailable(.boundToAnotherProvider), sourceLocation: sourceLocation)
            }
            #expect(store.probe().reason?.category == .boundToAnotherProvider, sourceLocation: sourceLocation)
        }

        @Test("a store keeps to the collection that it used first, and says so")
        func oneStore() throws {
            let provider = try begin()
            let first = try provider.bus.defaultCollection()
            let store = provider.bus.store
            #expect(Operation.readAll.run(store) == Operation.readAll.fine)
            let reader = provider.bus.store
            #expect(Operation.get.run(reader) == .value("value"))
            let other = try provider.addCollection("other", label: "Other")
            try provider.setDefault(other)
            let before = try provider.items()
            expectElsewhere(store)
            #expect(try provider.items() == before)
            // What one knows already is still where it was.
            #expect(Operation.get.run(reader) == .value("value"))
            #expect(Operation.getAbsent.run(reader) == .unavailable(.boundToAnotherProvider))
            // A locked one is not opened for it.
            try provider.setLocked(true)
            expectElsewhere(store)
            #expect(try provider.counts()["Service.Unlock"] == nil)
            try provider.setDefault(first)
            for operation in [Operation.get, .getAbsent, .readAll] { #expect(operation.run(store) == operation.fine) }
        }

        @Test("a label names the collection, whichever is the default one")
        func labelled() throws {
            let provider = try begin()
            let store = provider.bus.builder().collection(.labelled("Main")).build()
            #expect(Operation.get.run(store) == .value("value"))
            try provider.setDefault(try provider.addCollection("other", label: "Other"))
            for operation in [Operation.getAbsent, .readAll, .get] { #expect(operation.run(store) == operation.fine) }
        }

        @Test("a collection under another path is the same one where the first is gone and it has the entries")
        func renamed() throws {
            let provider = try begin()
            let first = try provider.bus.defaultCollection()
            let store = provider.bus.store
            #expect(Operation.get.run(store) == .value("value"))
            let renamed = try provider.addCollection("renamed", label: "Main")
            try provider.setDefault(renamed)
            try provider.removeCollection(first)
            expectElsewhere(store)
            try provider.add(attributes("present"), value: Data("value".utf8), ["collection": renamed])
            for operation in [Operation.readAll, .get, .getAbsent, .set] {
                #expect(operation.run(store) == operation.fine)
            }
        }

        @Test("another process knows by the note in which collection the entries were made")
        func note() throws {
            let keyring = try GnomeKeyring()
            let login = try keyring.bus.defaultCollection()
            try keyring.bus.store.set("value", forKey: "present")
            let note = keyring.bus.dataHome + "/\(service)/locks/secret-service.provider"
            #expect(try String(contentsOfFile: note, encoding: .utf8) == "gnome-keyring\n\(login)\n")
            try keyring.bus.setDefault(try keyring.makeCollection("Second one"))
            expectElsewhere(keyring.bus.store)
            #expect(try keyring.bus.items(["service": service]).count == 1)
            try keyring.bus.setDefault(login)
            #expect(try keyring.bus.store.get("present") == Data("value".utf8))
            #expect(try keyring.bus.store.get("absent") == nil)
            // Whoever has moved the entries removes the note.
            try keyring.bus.setDefault(try keyring.makeCollection("Third one"))
            try FileManager.default.removeItem(atPath: note)
            #expect(try keyring.bus.store.get("present") == nil)
            try keyring.bus.store.set("moved", forKey: "present")
            #expect(try keyring.bus.store.get("present") == Data("moved".utf8))
        }

        @Test("a note that cannot be read is no missing one")
        func unreadableNote() throws {
            let keyring = try GnomeKeyring()
            try keyring.bus.store.set("value", forKey: "present")
            let note = keyring.bus.dataHome + "/\(service)/locks/secret-service.provider"
            try keyring.bus.setDefault(try keyring.makeCollection("Second one"))
            try FileManager.default.removeItem(atPath: note)
            let works: [(String) throws -> Void] = [
                { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false) },
                { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "/nonexistent") },
                { #expect(mkfifo($0, 0o600) == 0) },
            ]
            for work in works {
                try work(note)
                for operation in Operation.allCases {
                    let answer = operation.run(keyring.bus.store)
                    #expect(answer == .unavailable(.insecurePermissions), "\(operation)")
                }
                try FileManager.default.removeItem(atPath: note)
            }
            #expect(try keyring.bus.items(["service": service]).map(\.value) == [Data("value".utf8)])
        }

        @Test("an entry that is only replaced is noted too")
        func replaced() throws {
            let keyring = try GnomeKeyring()
            let login = try keyring.bus.defaultCollection()
            try keyring.bus.createItem(attributes("present"), value: Data("theirs".utf8))
            try keyring.bus.store.set("ours", forKey: "present")
            let note = keyring.bus.dataHome + "/\(service)/locks/secret-service.provider"
            #expect(try String(contentsOfFile: note, encoding: .utf8) == "gnome-keyring\n\(login)\n")
            try keyring.bus.setDefault(try keyring.makeCollection("Second one"))
            expectElsewhere(keyring.bus.store)
        }

        @Test("what a store with a named collection has noted is completed by the first one in the default collection")
        func completedNote() throws {
            let keyring = try GnomeKeyring()
            let login = try keyring.bus.defaultCollection()
            let note = keyring.bus.dataHome + "/\(service)/locks/secret-service.provider"
            let second = try keyring.makeCollection("Second one")
            try keyring.bus.builder().collection(.labelled("Second one")).build().set("value", forKey: "present")
            #expect(try String(contentsOfFile: note, encoding: .utf8) == "gnome-keyring\n")
            try keyring.bus.store.set("value", forKey: "present")
            #expect(try String(contentsOfFile: note, encoding: .utf8) == "gnome-keyring\n\(login)\n")
            try keyring.bus.builder().collection(.labelled("Second one")).build().set("value", forKey: "fresh")
            #expect(try String(contentsOfFile: note, encoding: .utf8) == "gnome-keyring\n\(login)\n")
            #expect(try keyring.bus.collections()[second] == "Second one")
        }
    }
#endif

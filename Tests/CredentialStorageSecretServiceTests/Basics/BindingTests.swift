#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Entries that live with another provider", .serialized, .timeLimit(.minutes(5)))
    struct BindingTests {
        /// The bus of one provider and the data directory of another.
        private func store(_ bus: PrivateBus, dataOf other: PrivateBus) -> SecretServiceStorage {
            var variables = bus.variables
            variables["XDG_DATA_HOME"] = other.dataHome
            let all = variables
            return StorageBuilder.SecretService(service: "org.example.bound")
                .environment(Environment { all[$0] }).lookingAhead(false).build()
        }

        private func expectElsewhere(
            _ store: SecretServiceStorage, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let expected = Answer.unavailable(.boundToAnotherProvider)
            for operation in Operation.allCases {
                let answer = operation.run(store)
                #expect(answer == expected, "\(operation)", sourceLocation: sourceLocation)
            }
            let others: [(StorageOperation, @Sendable () throws -> Void)] = [
                (.read, { try store.unlock() }), (.read, { try store.lock() }), (.read, { _ = try store.isLocked }),
                (.read, { _ = try store.keys() }), (.delete, { try store.deleteAll() }),
                (.write, { _ = try store.compareAndSet("present", expected: nil, new: Data()) }),
            ]
            for (index, (operation, body)) in others.enumerated() {
                let answer = Answer(of: operation, within: .seconds(30), body)
                #expect(answer == expected, "\(index)", sourceLocation: sourceLocation)
            }
            #expect(store.probe().reason?.category == .boundToAnotherProvider, sourceLocation: sourceLocation)
        }

        private func note(_ bus: PrivateBus) -> String {
            bus.dataHome + "/org.example.bound/locks/secret-service.provider"
        }

        @Test("what was made with one provider is not absent because another does not have it")
        func another() throws {
            let keyring = try GnomeKeyring()
            let here = store(keyring.bus, dataOf: keyring.bus)
            try here.set("value", forKey: "name")

            // It has none of the names by which a provider is known, so it is not the one that was noted.
            let other = try ScriptedProvider()
            expectElsewhere(store(other.bus, dataOf: keyring.bus))
            #expect(try other.items().isEmpty)
            // What it has under the same names is not what was put there.
            for name in ["present", "second"] {
                try other.add(attributes(name, service: "org.example.bound"), value: Data("theirs".utf8))
            }
            let before = try other.items()
            expectElsewhere(store(other.bus, dataOf: keyring.bus))
            try other.setLocked(true)
            expectElsewhere(store(other.bus, dataOf: keyring.bus))
            try other.setLocked(false)
            #expect(try other.items() == before)
            #expect(try other.counts()["Service.Unlock"] == nil)
            #expect(try here.string(forKey: "name") == "value")
            #expect(try here.get("absent") == nil)

            // A newer version may note what this one does not know.
            let note = note(keyring.bus)
            try Data("another\n".utf8).write(to: URL(fileURLWithPath: note))
            expectElsewhere(store(other.bus, dataOf: keyring.bus))

            // Whoever has moved the entries removes the note.
            try FileManager.default.removeItem(atPath: note)
            let moved = store(other.bus, dataOf: keyring.bus)
            try moved.set("moved", forKey: "name")
            #expect(try moved.string(forKey: "name") == "moved")
        }

        @Test("a provider without a known name is noted by its collection, and stays the same one under a name")
        func nameless() throws {
            let first = try ScriptedProvider()
            let collection = try first.bus.defaultCollection()
            let here = store(first.bus, dataOf: first.bus)
            try here.set("value", forKey: "present")
            let note = note(first.bus)
            #expect(try String(contentsOfFile: note, encoding: .utf8) == "other\n\(collection)\n")

            for name in ["elsewhere", "named"] {
                let other = try ScriptedProvider()
                let names = name == "named" ? ["org.gnome.keyring"] : []
                try other.behave("normal", ["collection_name": name, "names": names])
                try other.add(attributes("present", service: "org.example.bound"), value: Data("theirs".utf8))
                expectElsewhere(store(other.bus, dataOf: first.bus))
            }

            try first.changeOwner()
            #expect(try here.string(forKey: "present") == "value")
            #expect(try store(first.bus, dataOf: first.bus).get("absent") == nil)
            // An update may have given it a name.
            try first.adjust(["names": ["org.gnome.keyring"]])
            try first.changeOwner()
            let updated = store(first.bus, dataOf: first.bus)
            #expect(try updated.string(forKey: "present") == "value")
            #expect(try updated.get("absent") == nil)
            try updated.set("again", forKey: "present")
            #expect(try String(contentsOfFile: note, encoding: .utf8) == "gnome-keyring\n\(collection)\n")
        }

        @Test("a note for which there is no room is not left half written, and the next change makes up for it")
        func noRoom() throws {
            let keyring = try GnomeKeyring()
            let note = keyring.bus.dataHome + "/\(service)/locks/secret-service.provider"
            // What it prints does not count.
            let noRoom = ["sh", "-c", "(ulimit -f 0; exec \"$@\") | cat", "sh"]
            let result = try keyring.bus.subject("set", "present", "value", prefix: noRoom)
            #expect(result.lines == ["set"])
            let left = try FileManager.default.contentsOfDirectory(
                atPath: keyring.bus.dataHome + "/\(service)/locks")
            #expect(left == ["secret-service.lock"])
            try keyring.bus.store.set("value", forKey: "present")
            let whole = try String(contentsOfFile: note, encoding: .utf8)
            #expect(whole.hasPrefix("gnome-keyring\n/"))
            try Data("gnome-keyring\n".utf8).write(to: URL(fileURLWithPath: note))
            _ = try keyring.bus.subject("set", "present", "again", prefix: noRoom)
            #expect(try String(contentsOfFile: note, encoding: .utf8) == "gnome-keyring\n")
            #expect(Operation.get.run(keyring.bus.store) == .value("again"))
        }

        @Test("an empty note is no missing one")
        func empty() throws {
            let keyring = try GnomeKeyring()
            let store = keyring.bus.store
            try store.set("value", forKey: "present")
            let note = keyring.bus.dataHome + "/\(service)/locks/secret-service.provider"
            for text in ["", "\n", "\n/path\n"] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: note))
                for operation in Operation.allCases {
                    #expect(operation.run(keyring.bus.store) == .refused(.damaged), "\(operation)")
                }
            }
            try FileManager.default.removeItem(atPath: note)
            #expect(Operation.get.run(keyring.bus.store) == .value("value"))
        }

        @Test("a store that has written nothing is bound to nobody")
        func unbound() throws {
            let keyring = try GnomeKeyring()
            let store = store(keyring.bus, dataOf: keyring.bus)
            #expect(try store.get("name") == nil)
            #expect(try store.keys().isEmpty)
        }
    }
#endif

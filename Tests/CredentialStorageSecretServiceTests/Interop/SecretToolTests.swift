#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Beside secret-tool", .serialized, .timeLimit(.minutes(5)))
    struct SecretToolTests {
        private static let keyring = Shared { try GnomeKeyring() }

        private func arguments(_ name: String) -> [String] {
            ["service", service, "account", name, "xdg:schema", "org.swift-credential-storage.Entry"]
        }

        private func tool(_ arguments: [String], input: Data = Data()) throws -> BusProgram {
            try Self.keyring.get().bus.run(["secret-tool"] + arguments, input: input)
        }

        @Test(
            "what secret-tool stores is read as it is",
            arguments: [
                "plain text", "two\nlines\n", " blanks ", #"back\slash"#, "scs1:base64:not base64!", "pässwörd",
            ])
        func read(_ text: String) throws {
            let store = try Self.keyring.get().bus.store
            let stored = try tool(["store", "--label=by hand"] + arguments("theirs"), input: Data(text.utf8))
            #expect(stored.status == 0, "\(stored.errors)")
            #expect(try store.get("theirs") == Data(text.utf8))
            #expect(try store.readAll()[key: "theirs"] == Data(text.utf8))
            #expect(try store.delete("theirs"))
            #expect(try tool(["lookup"] + arguments("theirs")).status == 1)
        }

        @Test(
            "safe text that we store is shown as it is",
            arguments: ["plain text", "pässwörd 😀", "k=v;[1]", #""quoted""#])
        func shown(_ text: String) throws {
            let store = try Self.keyring.get().bus.store
            try store.set(text, forKey: "ours")
            #expect(try tool(["lookup"] + arguments("ours")).text == text)
            let item = try #require(try Self.keyring.get().bus.items(attributes("ours")).first)
            #expect(item.label == "\(service): ours")
            #expect(item.attributes == attributes("ours"))
            #expect(item.contentType == "text/plain")
        }

        @Test("what would harm a keyring is stored without control characters")
        func encoded() throws {
            let store = try Self.keyring.get().bus.store
            for (name, value) in Samples.all where value.count < 1_000 {
                try store.set(value, forKey: "encoded")
                let item = try #require(try Self.keyring.get().bus.items(attributes("encoded")).first)
                let stored = try #require(item.value)
                #expect(stored.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }, "\(name)")
                #expect(stored == value || stored.starts(with: Data("scs1:base64:".utf8)), "\(name)")
                #expect(!stored.isEmpty)
            }
        }

        @Test("one item is replaced by either client, never doubled")
        func replaced() throws {
            let store = try Self.keyring.get().bus.store
            try store.set("ours", forKey: "shared")
            #expect(
                try tool(["store", "--label=by hand"] + arguments("shared"), input: Data("theirs".utf8)).status == 0)
            #expect(try store.get("shared") == Data("theirs".utf8))
            try store.set("ours again", forKey: "shared")
            #expect(try tool(["lookup"] + arguments("shared")).text == "ours again")
            #expect(try Self.keyring.get().bus.items(attributes("shared")).count == 1)
            #expect(try tool(["clear"] + arguments("shared")).status == 0)
            #expect(try store.get("shared") == nil)
        }

        @Test("neighbours with more, fewer or other attributes survive, and other services are not seen")
        func neighbours() throws {
            let bus = try Self.keyring.get().bus
            let store = bus.builder("org.example.neighbours").build()
            let own = attributes("entry", service: "org.example.neighbours")
            var fewer = own
            fewer["xdg:schema"] = nil
            let foreign = [
                own.merging(["extra": "1"]) { $1 }, fewer, ["account": "entry"],
                own.merging(["service": "org.example.neighbours2"]) { $1 },
            ]
            for attributes in foreign { try bus.createItem(attributes, value: Data("theirs".utf8), label: "neighbour") }
            try store.set("ours", forKey: "entry")
            try store.set("ours again", forKey: "entry")
            #expect(try store.readAll().entries == [Entry(key: "entry", value: Data("ours again".utf8))])
            #expect(try store.delete("entry"))
            try store.deleteAll()
            for attributes in foreign {
                // gnome-keyring gives an item without a schema a general one where it reads its file again.
                let schema = [attributes["xdg:schema"], "org.freedesktop.Secret.Generic"]
                let all = try bus.items(attributes)
                let left = all.filter { item in
                    schema.contains(item.attributes["xdg:schema"])
                        && item.attributes.filter { $0.key != "xdg:schema" }
                            == attributes.filter { $0.key != "xdg:schema" }
                }
                #expect(left.map(\.value) == [Data("theirs".utf8)], "\(all.map(\.attributes))")
            }
        }

        @Test("what another client changes between two bulk reads is seen by the second")
        func changedBetweenReads() throws {
            let bus = try Self.keyring.get().bus
            let name = "org.example.between"
            let store = bus.builder(name).deadline(.seconds(60)).build()
            var paths: [String] = []
            for entry in ["kept", "replaced", "removed"] {
                let value = Data("\(entry) before".utf8)
                paths.append(try bus.createItem(attributes(entry, service: name), value: value))
            }
            #expect(try store.readAll().entries.count == 3)
            func arguments(_ entry: String) -> [String] {
                attributes(entry, service: name).flatMap { [$0.key, $0.value] }
            }
            for entry in ["replaced", "added"] {
                let stored = try tool(["store", "--label=by hand"] + arguments(entry), input: Data("after".utf8))
                #expect(stored.status == 0)
            }
            try bus.deleteItem(paths[2])
            try bus.createItem(
                attributes("removed", service: name).merging(["extra": "1"]) { $1 }, value: Data("theirs".utf8))
            #expect(
                try store.readAll().entries == [
                    Entry(key: "added", value: Data("after".utf8)), Entry(key: "kept", value: Data("kept before".utf8)),
                    Entry(key: "replaced", value: Data("after".utf8)),
                ])
            try bus.deleteItems(["service": name])
            #expect(try store.readAll().entries == [])
        }

        @Test("a keyring file that is exchanged below the daemon is not read under the names of the one before")
        func exchangedFile() throws {
            let keyring = try GnomeKeyring(.passwordless)
            let store = keyring.bus.builder().deadline(.seconds(60)).build()
            try store.set("value of one", forKey: "one")
            try store.set("value of two", forKey: "two")
            #expect(try store.readAll().entries.count == 2)
            let file = keyring.bus.dataHome + "/keyrings/login.keyring"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
                switch line {
                case "value=one": "value=two"
                case "value=two": "value=one"
                case _ where line.hasPrefix("mtime="): "mtime=1000"
                default: String(line)
                }
            }
            let changed = Data(lines.joined(separator: "\n").utf8)
            #expect(changed != Data(text.utf8))
            try changed.write(to: URL(fileURLWithPath: file), options: .atomic)
            // The daemon looks at the file's time, in seconds.
            let later = Date(timeIntervalSinceNow: 60)
            try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: file)
            let bulk = try store.readAll()
            for name in ["one", "two"] {
                let single = try store.get(name)
                #expect(single == Data("value of \(name == "one" ? "two" : "one")".utf8), "the daemon took it over")
                #expect(bulk[key: name] == single)
            }
        }

        @Test("true duplicates are ambiguous until one is removed")
        func duplicates() throws {
            let bus = try Self.keyring.get().bus
            let store = bus.store
            let paths = try (0..<2).map { try bus.createItem(attributes("double"), value: Data("value \($0)".utf8)) }
            #expect(throws: StorageError.readError(cause: .ambiguous)) { try store.get("double") }
            #expect(throws: StorageError.writeError(cause: .ambiguous)) { try store.set("new", forKey: "double") }
            #expect(throws: StorageError.deleteError(cause: .ambiguous)) { try store.delete("double") }
            #expect(try bus.items(attributes("double")).count == 2)
            try bus.deleteItem(paths[0])
            #expect(try store.get("double") == Data("value 1".utf8))
        }
    }
#endif

#if SecretService
    import CredentialStorage
    import Testing

    @testable import CredentialStorageSecretService

    @Suite("Which item is an entry")
    struct ItemTests {
        private let identity = ItemIdentity(service: "org.example", group: nil)
        private let key: EntryKey

        init() throws { key = try EntryKey("name") }

        private func pairs(_ attributes: [String: String]) -> [(key: String, value: String)] {
            attributes.map { (key: $0.key, value: $0.value) }
        }

        private var own: [String: String] {
            ["xdg:schema": "org.swift-credential-storage.Entry", "service": "org.example", "account": "name"]
        }

        @Test("our own attributes, and those that providers add, make an entry")
        func entries() {
            #expect(identity.entry(pairs(own)) == key)
            #expect(identity.entry(identity.attributes(of: key)) == key)
            let added = ["Notes": "", "Path": "/x", "Title": "t", "URL": "", "UserName": "", "Uuid": "0", "gkr:x": "1"]
            #expect(identity.entry(pairs(own.merging(added) { $1 })) == key)
        }

        @Test(
            "a superset, a subset, another value, and a group's entry are somebody else's",
            arguments: [
                ["extra": "1"], ["group": "suite"], ["xdg:schema": "org.freedesktop.Secret.Generic"],
                ["service": "org.Example"],
                ["account": ""],
            ])
        func foreign(_ change: [String: String]) {
            #expect(identity.entry(pairs(own.merging(change) { $1 })) == nil)
        }

        @Test(
            "an item that lacks one of our attributes is somebody else's",
            arguments: ["xdg:schema", "service", "account"])
        func subset(_ missing: String) {
            #expect(identity.entry(pairs(own.filter { $0.key != missing })) == nil)
        }

        @Test(
            "a name that a provider may change stands there in its stored form, and is found in both forms",
            arguments: ["line\nbreak", " ", "\u{FEFF}x", "a\\b", "scs1:base64:eA=="])
        func unusualNames(_ name: String) throws {
            let key = try EntryKey(name)
            let attributes = identity.attributes(of: key)
            let account = try #require(attributes.last)
            #expect(account.key == "account" && account.value.hasPrefix("scs1:base64:") && account.value != name)
            #expect(identity.entry(attributes) == key)
            #expect(identity.searches(for: key).map { $0.last?.value } == [account.value, name])
            #expect(!identity.label(of: key).utf8.contains(0x0A) && !identity.label(of: key).utf8.contains(0x5C))
            if !name.hasPrefix("scs1") {
                #expect(identity.entry(pairs(own.merging(["account": name]) { $1 })) == key)
            }
        }

        @Test("a name that is encoded and need not be is somebody else's, since no search would find it")
        func needlesslyEncoded() {
            for account in ["scs1:base64:bmFtZQ==", "scs1:base64:", "scs1:base64:/w=="] {
                #expect(identity.entry(pairs(own.merging(["account": account]) { $1 })) != key, "\(account)")
            }
            #expect(identity.entry(pairs(own.merging(["account": "scs1:base64:bmFtZQ=="]) { $1 })) == nil)
        }

        @Test("a group's entries are the group's whatever service made them, and nobody else's")
        func groups() {
            let group = ItemIdentity(service: "org.example", group: "suite")
            #expect(group.entry(pairs(own)) == nil)
            #expect(group.entry(pairs(own.merging(["group": "other"]) { $1 })) == nil)
            #expect(group.entry(pairs(own.merging(["group": "suite", "service": "org.other"]) { $1 })) == key)
            #expect(group.entry(group.attributes(of: key)) == key)
        }

        private func item(_ path: String, _ attributes: [String: String]?) -> ItemState {
            ItemState(ObjectPath(text: path), attributes.map(pairs))
        }

        @Test("one matching item is the entry, two are ambiguous, none is absent, and a missing object proves nothing")
        func lookup() {
            func look(_ items: ItemState...) -> ItemLookup { ItemLookup(key, among: items, of: identity) }
            let superset = item("/s", own.merging(["extra": "1"]) { $1 })
            #expect(look() == .absent)
            #expect(look(superset) == .absent)
            #expect(look(item("/a", own), superset) == .one(ObjectPath(text: "/a")))
            #expect(look(item("/a", own), item("/b", own)) == .ambiguous)
            #expect(look(item("/a", nil)) == .vanished([ObjectPath(text: "/a")]))
            let again = ItemLookup(
                key, among: [item("/a", nil)], of: identity, vanished: [ObjectPath(text: "/a")])
            #expect(again == .dangling)
            let another = ItemLookup(
                key, among: [item("/b", nil)], of: identity, vanished: [ObjectPath(text: "/a")])
            #expect(another == .vanished([ObjectPath(text: "/b")]))
            #expect(look(item("/a", nil), item("/b", own)) == .one(ObjectPath(text: "/b")))
        }
    }
#endif

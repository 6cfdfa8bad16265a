#if SecretService
    internal import CredentialStorage

    /// The attributes that make an item an entry of a store.
    ///
    /// An entry of a private store has `xdg:schema`, `service` and `account`. One of a group has `group` too, and is the
    /// group's whatever service made it. These keys and the schema's name never change. A name that some provider would
    /// change stands in `account` in its stored form; see ``StoredForm``.
    struct ItemIdentity: Sendable {
        static let schema = "org.swift-credential-storage.Entry"

        let service: String
        let group: String?

        /// The attributes of an entry that is made now.
        func attributes(of key: EntryKey) -> [(key: String, value: String)] {
            search + (group == nil ? [] : [("service", service)]) + [("account", StoredForm.encode(key.name))]
        }

        /// The attributes by which an entry is found: its own, and those that another program would have given it.
        func searches(for key: EntryKey) -> [[(key: String, value: String)]] {
            let own = StoredForm.encode(key.name)
            return (same(own, key.name) ? [own] : [own, key.name]).map { search + [("account", $0)] }
        }

        /// The attributes by which all entries are found.
        var search: [(key: String, value: String)] {
            [("xdg:schema", Self.schema)] + (group.map { [("group", $0)] } ?? [("service", service)])
        }

        /// The label that people see.
        ///
        /// It is shown only, and some providers end a line of a file in it.
        func label(of key: EntryKey) -> String {
            let name = key.name.unicodeScalars.map { scalar in
                StoredForm.isSafe(Array("x\(scalar)x".utf8).span) ? Character(scalar) : "\u{FFFD}"
            }
            return "\(service): " + String(name)
        }

        /// The name of the entry that an item is; `nil` for an item that is none of this store.
        ///
        /// An item that lacks one of our attributes is somebody else's, and so is one that has more of them, or any other
        /// that its provider did not add by itself, or an `account` that is encoded although every provider keeps it.
        ///
        /// - Parameter attributes: What the item has.
        /// - Returns: The name.
        func entry(_ attributes: [(key: String, value: String)]) -> EntryKey? {
            var schema: String?
            var owner: String?
            var account: String?
            var shared: String?
            for (key, value) in attributes {
                switch key {
                case "xdg:schema": schema = value
                case "service": owner = value
                case "account": account = value
                case "group": shared = value
                default: guard Self.isAddedByProvider(key) else { return nil }
                }
            }
            guard let schema, same(schema, Self.schema), let owner, let account else { return nil }
            switch (group, shared) {
            case (nil, nil): guard same(owner, service) else { return nil }
            case (let mine?, let theirs?): guard same(mine, theirs) else { return nil }
            default: return nil
            }
            // A name that is encoded and need not be is one that no search finds: what is listed is found.
            guard let key = EntryKey(utf8: StoredForm.decode(account)),
                same(account, key.name) || same(account, StoredForm.encode(key.name))
            else { return nil }
            return key
        }

        /// KeePassXC gives every item the six fields of its entries; gnome-keyring marks what older versions wrote.
        private static func isAddedByProvider(_ key: String) -> Bool {
            ["Notes", "Path", "Title", "URL", "UserName", "Uuid"].contains(key) || key.hasPrefix("gkr:")
        }

        /// Names are bytes: two forms of one letter are two names.
        private func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
    }
#endif

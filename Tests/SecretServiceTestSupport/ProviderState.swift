package import Foundation

/// An item as another client sees it.
package struct ForeignItem: Sendable {
    package let path: String
    package let isLocked: Bool
    package let label: String
    package let attributes: [String: String]
    /// The stored bytes; `nil` for a locked item.
    package let value: Data?
    package let contentType: String?
}

/// What another client does on the same bus: nothing of it goes through the library.
extension PrivateBus {
    /// Waits until a name has an owner, or has none.
    package func awaitName(
        _ name: String = "org.freedesktop.secrets", isPresent: Bool = true, within seconds: Double = 30
    ) throws {
        _ = try agent.ask("await_name", ["seconds": seconds, "name": name, "present": isPresent])
    }

    /// Waits until a process owns the name of the Secret Service.
    package func awaitOwner(_ process: pid_t, within seconds: Double = 30) throws {
        _ = try agent.ask("await_owner", ["seconds": seconds, "pid": process])
    }

    /// Waits until there is a default collection in the given state.
    ///
    /// - Parameters:
    ///   - locked: The state.
    ///   - seconds: How long to wait.
    /// - Returns: The path of the collection.
    /// - Throws: When it does not come.
    package func awaitDefaultCollection(locked: Bool, within seconds: Double = 30) throws -> String {
        try ask("await_default", ["seconds": seconds, "locked": locked], as: String.self)
    }

    /// The path of the default collection; a slash when there is none.
    package func defaultCollection() throws -> String { try ask("default", as: String.self) }

    /// The labels of all collections by path.
    package func collections() throws -> [String: String] { try ask("collections", as: [String: String].self) }

    /// Stores an item, without replacing another.
    ///
    /// - Parameters:
    ///   - attributes: Its attributes.
    ///   - value: Its secret.
    ///   - label: Its label.
    ///   - collection: The path of the collection; the default one unless given.
    /// - Returns: Its path.
    /// - Throws: What the provider answered.
    @discardableResult
    package func createItem(
        _ attributes: [String: String],
        value: Data,
        label: String = "foreign",
        collection: String? = nil
    ) throws -> String {
        var arguments: [String: Any] = [
            "attributes": attributes, "value": value.base64EncodedString(), "label": label,
        ]
        if let collection { arguments["collection"] = collection }
        return try ask("create", arguments, as: String.self)
    }

    /// The items whose attributes include the given ones.
    package func items(_ attributes: [String: String]) throws -> [ForeignItem] {
        try ask("items", ["attributes": attributes], as: [[String: Any]].self).map { item in
            ForeignItem(
                path: item["path"] as? String ?? "",
                isLocked: item["locked"] as? Bool ?? false,
                label: item["label"] as? String ?? "",
                attributes: item["attributes"] as? [String: String] ?? [:],
                value: (item["value"] as? String).flatMap { Data(base64Encoded: $0) },
                contentType: item["type"] as? String)
        }
    }

    package func deleteItem(_ path: String) throws { _ = try agent.ask("delete", ["path": path]) }

    /// Removes every item whose attributes include the given ones.
    package func deleteItems(_ attributes: [String: String]) throws {
        _ = try agent.ask("delete_all", ["attributes": attributes])
    }

    package func isLocked(_ collection: String) throws -> Bool {
        try ask("is_locked", ["path": collection], as: Bool.self)
    }

    /// Makes a collection the default one.
    package func setDefault(_ collection: String) throws {
        _ = try agent.ask("set_alias", ["name": "default", "path": collection])
    }

    package func lock(_ collection: String) throws { _ = try agent.ask("lock", ["path": collection]) }

    /// Calls a method whose arguments are text and paths.
    package func call(
        _ name: String, path: String, interface: String, method: String, signature: String = "", values: [String] = [],
        within seconds: Double = 30
    ) throws -> Any? {
        try agent.ask(
            "call",
            [
                "name": name, "path": path, "interface": interface, "method": method, "signature": signature,
                "values": values, "seconds": seconds,
            ])
    }
}

extension PrivateBus {
    /// How many rules for signals all clients together have set.
    package func matchRules() throws -> Int {
        let answer = try call(
            "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus.Debug.Stats",
            method: "GetStats")
        return ((answer as? [String: Any])?["MatchRules"] as? NSNumber)?.intValue ?? 0
    }
}

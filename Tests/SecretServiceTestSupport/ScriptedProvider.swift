package import Foundation

/// A Secret Service whose behaviour is chosen by name, `Tests/Tools/scripted_provider.py`, on a private bus.
package final class ScriptedProvider: Sendable {
    package let bus: PrivateBus
    package let processIdentifier: pid_t

    /// An item as it stands in the provider.
    package struct Item: Sendable, Equatable {
        package let path: String
        package let attributes: [String: String]
        package let label: String
        package let value: Data
        package let contentType: String
        package let isLocked: Bool
    }

    /// Starts the provider on a bus, and waits until it owns the name.
    ///
    /// - Parameters:
    ///   - behaviour: A name of the table in `Tests/Tools/scripted_behaviours.py`.
    ///   - bus: The bus; one of its own unless given.
    /// - Throws: When it does not come up.
    package init(_ behaviour: String = "normal", on bus: PrivateBus? = nil) throws {
        let bus = try bus ?? PrivateBus()
        self.bus = bus
        processIdentifier = try bus.start(
            ["/usr/bin/python3", "-B", Tool.scriptedProvider.path, behaviour], log: "scripted.log")
        try bus.awaitOwner(processIdentifier)
    }

    /// Another behaviour, with nothing stored and nothing counted; the name gets a new owner.
    ///
    /// - Parameters:
    ///   - name: A name of the table.
    ///   - changes: Switches that differ from it.
    /// - Throws: When there is no such behaviour.
    package func behave(_ name: String, _ changes: [String: Any] = [:]) throws {
        _ = try control("behave", name, changes)
    }

    /// Other switches; items, sessions, counts and owner stay.
    package func adjust(_ changes: [String: Any]) throws { _ = try control("adjust", changes) }

    /// How often each method was called since the behaviour began or the counts were taken with `clear`.
    package func counts(clear: Bool = false) throws -> [String: Int] {
        try control("counts", clear) as? [String: Int] ?? [:]
    }

    /// Puts an item there behind the client's back.
    ///
    /// - Parameters:
    ///   - attributes: Its attributes.
    ///   - value: Its secret.
    ///   - options: `collection`, `label`, `type`, `locked`.
    /// - Returns: Its path.
    /// - Throws: When the provider does not answer.
    @discardableResult
    package func add(_ attributes: [String: String], value: Data, _ options: [String: Any] = [:]) throws -> String {
        try control("add", attributes, value.base64EncodedString(), options) as? String ?? ""
    }

    /// Gives an item other attributes, or removes it, as another client does.
    ///
    /// - Parameters:
    ///   - path: The item.
    ///   - attributes: What it has then; `nil` to remove it.
    ///   - tells: Whether there is a signal.
    /// - Throws: When there is no such item.
    package func change(_ path: String, to attributes: [String: String]?, tells: Bool) throws {
        _ = try control("change", path, attributes ?? NSNull(), tells)
    }

    @discardableResult
    package func addCollection(_ name: String, label: String, locked: Bool = false) throws -> String {
        try control("add_collection", name, label, locked) as? String ?? ""
    }

    /// Makes another collection the default one.
    package func setDefault(_ collection: String) throws { _ = try control("set_default", collection) }

    package func removeCollection(_ path: String) throws { _ = try control("remove_collection", path) }

    /// Everything that is stored.
    package func items() throws -> [Item] {
        (try control("items") as? [[String: Any]] ?? []).map { item in
            Item(
                path: item["path"] as? String ?? "",
                attributes: item["attributes"] as? [String: String] ?? [:],
                label: item["label"] as? String ?? "",
                value: (item["value"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data(),
                contentType: item["type"] as? String ?? "",
                isLocked: item["locked"] as? Bool ?? false)
        }
    }

    /// Locks or opens the default collection behind the client's back.
    package func setLocked(_ isLocked: Bool) throws { _ = try control("lock", isLocked) }

    /// Gives the name to another connection: sessions are gone, items stay unless it is to be empty.
    package func changeOwner(locked: Bool = false, isEmpty: Bool = false) throws {
        _ = try control("restart", locked, isEmpty)
    }

    /// Forgets every session without telling anybody.
    package func forgetSessions() throws { _ = try control("forget_sessions") }

    /// Gives the name back; there is no provider then.
    package func leave() throws { _ = try control("leave") }

    /// Stops the process where it is, or lets it go on.
    package func setStopped(_ isStopped: Bool) throws {
        try bus.signal(isStopped ? SIGSTOP : SIGCONT, to: processIdentifier)
    }

    /// What the provider complains about: a fault of its own, never of the client.
    package var complaints: String { bus.log("scripted.log") }

    private func control(_ method: String, _ values: Any...) throws -> Any? {
        let texts = try values.map { value in
            let data = try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
            return String(decoding: data, as: UTF8.self)
        }
        let answer = try bus.call(
            "org.example.Scripted", path: "/", interface: "org.example.Scripted", method: method,
            signature: String(repeating: "s", count: texts.count), values: texts)
        guard let text = answer as? String else { return nil }
        return try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }
}

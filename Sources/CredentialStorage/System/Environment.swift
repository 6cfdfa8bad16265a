internal import Glibc

/// The environment variables that decide where data lives, read at one moment.
package struct Environment: Sendable {
    private enum Value {
        case text(String)
        /// Set, and not UTF-8: a path that we cannot name.
        case unreadable
    }

    private let lookUp: @Sendable (String) -> Value?

    private init(raw lookUp: @escaping @Sendable (String) -> Value?) { self.lookUp = lookUp }

    /// Made from given values, for tests.
    package init(_ lookUp: @escaping @Sendable (String) -> String?) {
        self.init(raw: { lookUp($0).map(Value.text) })
    }

    /// This process's environment.
    package static let process = Environment(raw: { name in
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: value).map(Value.text) ?? .unreadable
    })

    /// A variable's value; an empty one counts as unset, as the base directory specification says.
    package subscript(name: String) -> String? {
        guard case .text(let value) = lookUp(name), !value.isEmpty else { return nil }
        return value
    }

    /// The same for a variable that says where data lives.
    ///
    /// - Throws: `noStorageLocation` when it is set and not UTF-8: to look elsewhere then would be to lose the data.
    package func place(_ name: String) throws(StorageFault) -> String? {
        if case .unreadable = lookUp(name) { throw .unavailable(.noStorageLocation) }
        return self[name]
    }
}

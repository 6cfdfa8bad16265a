internal import Glibc

/// The environment variables that decide where data lives, read at one moment.
package struct Environment: Sendable {
    private let lookUp: @Sendable (String) -> String?

    /// Made from given values, for tests.
    package init(_ lookUp: @escaping @Sendable (String) -> String?) { self.lookUp = lookUp }

    /// This process's environment.
    package static let process = Environment { name in
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: value)
    }

    /// A variable's value; an empty one counts as unset, as the base directory specification says.
    package subscript(name: String) -> String? {
        guard let value = lookUp(name), !value.isEmpty else { return nil }
        return value
    }
}

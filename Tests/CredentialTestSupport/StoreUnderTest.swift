/// One row of a list of stores that run the same contract.
///
/// Each backend's test target has one list for each kind of contract; a new backend is one row.
package struct StoreUnderTest<Subject: Sendable>: Sendable, CustomStringConvertible {
    package let name: String
    /// Makes an empty store that shares nothing with others.
    package let make: @Sendable () throws -> Subject

    package init(_ name: String, make: @escaping @Sendable () throws -> Subject) {
        self.name = name
        self.make = make
    }

    package var description: String { name }
}

/// One row of the list of stores that run the contracts.
package struct StoreUnderTest<Subject: Sendable>: Sendable, CustomStringConvertible {
    package let name: String
    /// Makes an empty store that shares nothing with others.
    package let make: @Sendable () throws -> Subject

    package init(_ name: String, make: @escaping @Sendable () throws -> Subject) {
        self.name = name
        self.make = make
    }

    package var description: String { name }

    /// The same store, seen as something that it also is.
    package func map<Other: Sendable>(_ transform: @escaping @Sendable (Subject) -> Other) -> StoreUnderTest<Other> {
        StoreUnderTest<Other>(name) { [make] in transform(try make()) }
    }
}

internal import CredentialStorage

/// One row of the list of stores that run the contracts.
package struct StoreUnderTest<Subject: Sendable>: Sendable, CustomStringConvertible {
    package let name: String
    /// Makes an empty store that shares nothing with others.
    package let make: @Sendable () throws -> Subject

    /// The longest name that the store takes, in bytes.
    package let nameLimit: Int

    package init(
        _ name: String,
        nameLimit: Int = EntryKey.maximumLength,
        make: @escaping @Sendable () throws -> Subject
    ) {
        self.name = name
        self.nameLimit = nameLimit
        self.make = make
    }

    package var description: String { name }

    /// The same store, seen as something that it also is.
    package func map<Other: Sendable>(_ transform: @escaping @Sendable (Subject) -> Other) -> StoreUnderTest<Other> {
        StoreUnderTest<Other>(name, nameLimit: nameLimit) { [make] in transform(try make()) }
    }
}

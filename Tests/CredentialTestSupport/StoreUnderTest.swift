internal import CredentialStorage

/// One row of the list of stores that run the contracts.
package struct StoreUnderTest<Subject: Sendable>: Sendable, CustomStringConvertible {
    package let name: String
    /// Makes an empty store that shares nothing with others.
    package let make: @Sendable () throws -> Subject

    /// The longest name that the store takes, in bytes.
    package let nameLimit: Int
    /// How much the rules about many entries and many threads do.
    package let pace: Pace

    /// How fast the store is.
    package enum Pace: Sendable {
        case fast
        /// Every change costs a round trip to another process, which writes a file.
        case slow
    }

    package init(
        _ name: String,
        nameLimit: Int = EntryKey.maximumLength,
        pace: Pace = .fast,
        make: @escaping @Sendable () throws -> Subject
    ) {
        self.name = name
        self.nameLimit = nameLimit
        self.pace = pace
        self.make = make
    }

    package var description: String { name }

    /// The same store, seen as something that it also is.
    package func map<Other: Sendable>(_ transform: @escaping @Sendable (Subject) -> Other) -> StoreUnderTest<Other> {
        StoreUnderTest<Other>(name, nameLimit: nameLimit, pace: pace == .slow ? .slow : .fast) { [make] in
            transform(try make())
        }
    }
}

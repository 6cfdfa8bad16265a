public import CredentialStorage

/// What a store declares about itself before a contract is run on it.
public struct ContractSettings: Sendable {
    /// The largest value that the store takes, in bytes; `nil` when it has no limit.
    public var valueLimit: Int?

    /// The longest name that the store takes, in bytes; less than the usual for one that puts a prefix in front.
    public var nameLimit: Int

    /// How many entries the rules about many entries write.
    ///
    /// A store over a slow service may take fewer than the usual thousand.
    public var entryCount: Int

    /// How often the rules about many threads repeat their work.
    public var rounds: Int

    /// How long one rule may take before it counts as hanging.
    public var deadline: Duration

    /// Declares what differs from the usual.
    ///
    /// - Parameters:
    ///   - valueLimit: The largest value that the store takes, in bytes; `nil` when it has no limit.
    ///   - nameLimit: The longest name that the store takes, in bytes.
    ///   - entryCount: How many entries the rules about many entries write.
    ///   - rounds: How often the rules about many threads repeat their work.
    ///   - deadline: How long one rule may take before it counts as hanging.
    public init(
        valueLimit: Int? = 1 << 20,
        nameLimit: Int = EntryKey.maximumLength,
        entryCount: Int = 1_000,
        rounds: Int = 100,
        deadline: Duration = .seconds(120)
    ) {
        self.valueLimit = valueLimit
        self.nameLimit = nameLimit
        self.entryCount = entryCount
        self.rounds = rounds
        self.deadline = deadline
    }

    /// A limit of 1 MiB a value and 1024 bytes a name, a thousand entries, a hundred rounds, two minutes for each rule.
    public static let standard = ContractSettings()
}

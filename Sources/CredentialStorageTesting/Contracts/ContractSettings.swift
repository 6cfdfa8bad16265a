/// What a store declares about itself before a contract is run on it.
public struct ContractSettings: Sendable {
    /// The largest value that the store takes, in bytes; `nil` when it has no limit.
    public var valueLimit: Int?

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
    ///   - entryCount: How many entries the rules about many entries write.
    ///   - rounds: How often the rules about many threads repeat their work.
    ///   - deadline: How long one rule may take before it counts as hanging.
    public init(
        valueLimit: Int? = 1 << 20,
        entryCount: Int = 1_000,
        rounds: Int = 100,
        deadline: Duration = .seconds(120)
    ) {
        self.valueLimit = valueLimit
        self.entryCount = entryCount
        self.rounds = rounds
        self.deadline = deadline
    }

    /// A limit of 1 MiB a value, a thousand entries, a hundred rounds, two minutes for each rule.
    public static let standard = ContractSettings()
}

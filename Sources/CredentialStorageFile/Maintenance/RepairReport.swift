public import CredentialStorage

/// What a repair kept, and what it had to leave out.
public struct RepairReport: Sendable, Equatable {
    /// How many entries the vault holds now.
    public var kept = 0
    /// The entries that are gone because they did not open.
    public var omitted: [OmittedEntry] = []
    /// How many changes are gone of which not even the place could be told.
    public var lost = 0
    /// The name, beside the vault, of the file that holds it as it was; `nil` when nothing had to be left out.
    public var keptAside: String?

    /// Whether the vault was older than it had been, as the companion file bore witness: its newest changes are gone, and
    /// nothing tells how many.
    ///
    /// The repair accepts the older state, so this is the last time that it is told.
    public var wasRolledBack = false

    /// Whether nothing was lost.
    public var isComplete: Bool { omitted.isEmpty && lost == 0 && !wasRolledBack }
}

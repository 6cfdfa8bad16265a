public import CredentialStorage

/// What every ``Storage`` does, rule by rule.
///
/// See ``Contract`` for how to run it, and `docs/own-store.md` for a whole store that keeps it. It needs the five required
/// members only.
public struct StorageContract: Contract {
    /// The rule that this case stands for.
    public let rule: ContractRule<any Storage>

    init(_ rule: ContractRule<any Storage>) { self.rule = rule }

    /// All rules.
    public static let allCases: [StorageContract] = [
        StorageRules.values, StorageRules.sizes, StorageRules.names, StorageRules.order, StorageRules.bulk,
        StorageRules.text, StorageRules.secrets, StorageRules.errors, StorageRules.threads, StorageRules.async,
    ].joined().map(StorageContract.init)
}

/// The rules of ``StorageContract`` by topic; a new rule is one more element of a list.
enum StorageRules {
    typealias Rule = ContractRule<any Storage>
}

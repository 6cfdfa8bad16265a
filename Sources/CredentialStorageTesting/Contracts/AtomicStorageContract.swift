public import CredentialStorage

/// What every ``AtomicStorage`` does beside ``StorageContract``, rule by rule.
///
/// See ``Contract`` for how to run it.
public struct AtomicStorageContract: Contract {
    /// The rule that this case stands for.
    public let rule: ContractRule<any AtomicStorage>

    init(_ rule: ContractRule<any AtomicStorage>) { self.rule = rule }

    /// All rules.
    public static let allCases: [AtomicStorageContract] = [
        AtomicRules.compareAndSet, AtomicRules.locks, AtomicRules.async,
    ].joined().map(AtomicStorageContract.init)
}

/// The rules of ``AtomicStorageContract`` by topic; a new rule is one more element of a list.
enum AtomicRules {
    typealias Rule = ContractRule<any AtomicStorage>
}

public import CredentialStorage

/// What every ``TransactionalStorage`` does beside ``AtomicStorageContract``, rule by rule.
///
/// See ``Contract`` for how to run it.
public struct TransactionalStorageContract: Contract {
    /// The rule that this case stands for.
    public let rule: ContractRule<any TransactionalStorage>

    init(_ rule: ContractRule<any TransactionalStorage>) { self.rule = rule }

    /// All rules.
    public static let allCases: [TransactionalStorageContract] = [
        TransactionRules.batches, TransactionRules.isolation,
    ].joined().map(TransactionalStorageContract.init)
}

/// The rules of ``TransactionalStorageContract`` by topic; a new rule is one more element of a list.
enum TransactionRules {
    typealias Rule = ContractRule<any TransactionalStorage>
}

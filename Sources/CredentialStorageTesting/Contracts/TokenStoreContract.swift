public import CredentialStorage

/// What every ``TokenStore`` does, rule by rule.
///
/// See ``Contract`` for how to run it. Errors may be of any type.
public struct TokenStoreContract: Contract {
    /// The rule that this case stands for.
    public let rule: ContractRule<any TokenStore>

    init(_ rule: ContractRule<any TokenStore>) { self.rule = rule }

    /// All rules.
    public static let allCases: [TokenStoreContract] = TokenRules.tokens.map(TokenStoreContract.init)
}

/// What every ``AtomicTokenStore`` does beside ``TokenStoreContract``, rule by rule.
///
/// See ``Contract`` for how to run it. Errors may be of any type.
public struct AtomicTokenStoreContract: Contract {
    /// The rule that this case stands for.
    public let rule: ContractRule<any AtomicTokenStore>

    init(_ rule: ContractRule<any AtomicTokenStore>) { self.rule = rule }

    /// All rules.
    public static let allCases: [AtomicTokenStoreContract] = [TokenRules.replacing, TokenRules.refreshing].joined()
        .map(AtomicTokenStoreContract.init)
}

/// The rules of both token contracts by topic; a new rule is one more element of a list.
enum TokenRules {
    typealias Rule = ContractRule<any TokenStore>
    typealias AtomicRule = ContractRule<any AtomicTokenStore>
}

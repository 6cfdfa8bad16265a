import CredentialStorage
import FoundationEssentials

/// A token store of somebody else's, with the three members of the specification.
struct OwnTokenStore: TokenStore {
    func load() throws -> SDKInstallToken? { nil }
    func save(_ token: SDKInstallToken) throws {}
    func clear() throws {}
}

/// What a program does with tokens.
func useTokens() async throws {
    let token = SDKInstallToken(value: "opaque", expiresAt: nil, installID: "one")
    let plain: any TokenStore = OwnTokenStore()
    try plain.save(token)
    require(try plain.load() == nil, "the own token store was asked")

    let tokens: any AtomicTokenStore = InMemoryTokenStore()
    require(try tokens.load() == nil, "an empty token store gives nil")
    require(try tokens.replace(nil, with: token), "a token is put where none was")
    require(try tokens.replace(nil, with: token) == false, "a token that is there is noticed")
    try await tokens.withRefreshLock(timeout: .seconds(1)) { require(try tokens.load() == token, "the same token") }
    try tokens.clear()

    let storage = StorageBuilder.InMemory().build()
    let overStorage = StorageTokenStore(storage)
    try overStorage.save(token)
    require(try await storage.keys() == ["install-token"], "a token stands under its fixed name")
    require(!"\(token)".contains("opaque"), "a token does not print itself")
}

import CredentialStorage
import CredentialStorageSealing
import FoundationEssentials

// The samples of README.md that are functions. A test of the package compares page and code.

func readToken(from storage: any Storage) throws -> String? {
    do {
        return try storage.string(forKey: "api-token")
    } catch let error as StorageError {
        switch error.cause {
        case .wrongKey: print("That is not the passphrase of this store.")
        case .undecryptable(.damaged): print("The token is damaged; ask for a new one.")
        case .unavailable(_, .lockTimedOut, _): print("Another program keeps the store busy.")
        default: print(error.errorDescription ?? "", error.recoverySuggestion ?? "")  // causes may be added
        }
        throw error
    }
}

func store(_ token: String, in storage: any Storage) async throws {
    try await storage.set(token, forKey: "api-token")
}

func freshToken(in storage: any AtomicStorage) async throws -> SDKInstallToken {
    let tokens = StorageBuilder.tokenStore(over: storage)
    return try await tokens.withRefreshLock(timeout: .seconds(30)) {
        let present = try tokens.load()  // in the lock: whoever waited finds what the other one refreshed
        if let present, isFresh(present) { return present }
        let new = try await requestToken(after: present)
        guard try tokens.replace(present, with: new) else { throw TokenWasReplaced() }
        return new
    }
}

func sealing(_ base: any Storage, under bytes: borrowing SecureBuffer) throws -> any Storage {
    let key = try SealingKey(bytes)  // 32 random bytes, as SealingKey.makeBytes() draws them
    return StorageBuilder.sealed(over: base, with: SealingKeys(key), names: .sealed)
}

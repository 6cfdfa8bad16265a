import CredentialStorage
import FoundationEssentials

// What the samples leave to the program that uses them.

struct TokenWasReplaced: Error {}

func askForPassphrase() throws -> String { "correct horse" }

func send(_ bytes: Span<UInt8>) { require(bytes.count == 3, "the secret is what was set last") }

func isFresh(_ token: SDKInstallToken) -> Bool { token.expiresAt.map { $0 > .now } ?? true }

func requestToken(after present: SDKInstallToken?) async throws -> SDKInstallToken {
    SDKInstallToken(value: "opaque")
}

func require(_ condition: Bool, _ what: String) {
    guard condition else { fatalError("not so: \(what)") }
}

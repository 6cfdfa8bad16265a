internal import AppGantrySDK
internal import CredentialStorageFile
internal import FoundationEssentials
internal import Glibc

// An app of its own, in a process of its own, that looks for an update once and says which token it ended with:
//
//     UpdateSubject SERVER SERVICE

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress!, $0.count) }
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    say("usage: UpdateSubject SERVER SERVICE")
    exit(2)
}
let store = EncryptedFileTokenStore(service: arguments[2])
var configuration = AppGantryConfiguration(appKey: "app-key", appSecret: "app-secret", service: arguments[2])
configuration.deployment = AppGantryDeployment(baseURL: URL(string: arguments[1]))
do {
    _ = try await AppGantryUpdates(configuration: configuration, tokenStore: store).checkForUpdate()
    say(try store.load()?.value ?? "none")
} catch {
    say("failed: \(error)")
    exit(1)
}

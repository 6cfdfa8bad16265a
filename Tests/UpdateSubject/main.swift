internal import AppGantrySDK
internal import CredentialStorageFile
internal import FoundationEssentials
internal import Glibc

// An app of its own, in a process of its own, that looks for an update once and says which token it ended with:
//
//     UpdateSubject SERVER SERVICE [default]
//
// With the store that the client makes by itself it says which kind that is instead.

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress!, $0.count) }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    say("usage: UpdateSubject SERVER SERVICE [default]")
    exit(2)
}
let store = EncryptedFileTokenStore(service: arguments[2])
var configuration = AppGantryConfiguration(appKey: "app-key", appSecret: "app-secret", service: arguments[2])
configuration.deployment = AppGantryDeployment(baseURL: URL(string: arguments[1]))
if arguments.last == "default" {
    let updates = AppGantryUpdates(configuration: configuration)
    do {
        _ = try await updates.checkForUpdate()
        say(updates.tokenBackend?.description ?? "unknown")
    } catch {
        say("failed: \(error)")
    }
    exit(0)
}
do {
    _ = try await AppGantryUpdates(configuration: configuration, tokenStore: store).checkForUpdate()
    say(try store.load()?.value ?? "none")
} catch {
    say("failed: \(error)")
    exit(1)
}

internal import AppGantrySDK
internal import FoundationEssentials
internal import Glibc

// Looks for an update, asks on the terminal, and fetches it. `Examples/UpdateCheck/run` starts it beside a server on this machine.

guard CommandLine.arguments.count == 3 else { fatalError("usage: UpdateCheck SERVER FILE") }
var configuration = AppGantryConfiguration(
    appKey: "app-key", appSecret: "app-secret", service: "org.example.update-check")
configuration.versionName = "2.0.0"
configuration.deployment = AppGantryDeployment(baseURL: URL(string: CommandLine.arguments[1]))
let updates = AppGantryUpdates(configuration: configuration)

do {
    let info = try await updates.checkForUpdate()
    guard info.updateAvailable, let release = info.releaseID else {
        print("This is the newest version.")
        exit(0)
    }
    let metadata = try await updates.appMetadata()
    let icon = try await updates.iconData(for: metadata)
    let content = UpdatePromptContent(update: info, metadata: metadata, iconData: icon)
    let answer = await UpdatePromptView(content: content, onInstall: {}).present()
    guard answer == .install else {
        print(answer == .later ? "Another time, then." : "Nobody could be asked, so nothing was fetched.")
        exit(0)
    }
    print("The token is kept in: \(updates.tokenBackend?.description ?? "a store that does not tell")")
    if try await updates.beginInstall(for: info) == false {
        let file = URL(fileURLWithPath: CommandLine.arguments[2])
        try await updates.downloadRelease(release, to: file) { progress in
            print("  \(progress.received) of \(progress.total.map(String.init) ?? "?") bytes")
        }
        try await updates.reportInstall(.downloaded, forRelease: release)
        print("It is whole and has the checksum that the server gave.")
    }
} catch let error as SDKError {
    print(error.errorDescription ?? "It did not work.")
    print(error.recoverySuggestion ?? "")
    exit(1)
}

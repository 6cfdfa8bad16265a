import AppGantrySDK

func lookForUpdate(_ key: String, _ secret: String) async throws -> UpdateInfo? {
    var configuration = AppGantryConfiguration(appKey: key, appSecret: secret, service: "org.example.app")
    configuration.versionName = "2.0.1"
    let updates = AppGantryUpdates(configuration: configuration)
    let info = try await updates.checkForUpdate()
    return info.updateAvailable ? info : nil
}

internal import CredentialStorage
internal import CredentialStorageAutomatic
internal import CredentialTestSupport

/// A store whose backend is chosen by its first write, in a home of its own, which goes away with the process.
enum TemporaryAutomatic {
    static func make(_ service: String, on variables: [String: String]) throws -> AutomaticStorage {
        let home = try TemporaryDirectory().path
        let all = variables.merging(["HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": "\(home)/config"]) { $1 }
        return StorageBuilder.automatic(service: service)
            .environment(Environment { all[$0] }).deadline(.seconds(30)).build()
    }
}

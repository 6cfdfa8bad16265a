import CredentialStorage
import FoundationEssentials
import SecretServiceTestSupport

/// One home, used from several buses and from none.
struct Profile {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// What a process on a bus has of it; the home stays the profile's own.
    static func environment(_ bus: PrivateBus?) -> [String: String?] {
        var environment: [String: String?] = [:]
        for name in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"] { environment[name] = bus?.variables[name] }
        return environment
    }

    @discardableResult
    func run(_ bus: PrivateBus?, _ words: String..., input: [UInt8]? = nil) throws -> Outcome {
        try sandbox.run(raw: words.map { Array($0.utf8) }, input: input, environment: Self.environment(bus))
    }

    func shell(_ bus: PrivateBus?, _ line: String) throws -> Outcome {
        try sandbox.shell(line, environment: Self.environment(bus))
    }

    /// What the first write noted, or `nil`.
    var record: String? {
        let path = "\(sandbox.dataDirectory)/credentials.choice"
        guard let bytes = try? bytes(ofFile: path) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: " ").last.map { String($0.dropLast()) }
    }

    /// What stands in the home, by its path.
    var files: [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: sandbox.home)) ?? []).sorted()
    }

    var hasVault: Bool { files.contains { $0.hasSuffix("credentials.vault") } }
    var hasKeyFile: Bool { files.contains { $0.hasSuffix("vault.key") } }
}

extension Outcome {
    /// The category of the error that `--json` printed.
    var category: String? {
        guard let error = try? JSONValue(parsing: error) else { return nil }
        return error["error"]?["category"]?.string
    }
}

import CredentialTestSupport
import Foundation

/// A home of its own for apps that run as processes.
struct UpdateHome: Sendable {
    let path: String

    init() throws {
        path = try TemporaryDirectory().path
        for name in ["home", "data", "config"] {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(name)", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }
    }

    private static var subject: URL {
        get throws {
            let test = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: test).deletingLastPathComponent().appendingPathComponent("UpdateSubject")
        }
    }

    /// Runs one app to its end, and gives what it printed.
    func run(_ server: UpdateServer, _ variables: [String: String] = [:], options: [String] = []) async throws -> String
    {
        let process = Process()
        process.executableURL = try Self.subject
        process.arguments = [server.base.absoluteString, "org.example.updates"] + options
        process.environment = [
            "HOME": "\(path)/home", "XDG_DATA_HOME": "\(path)/data", "XDG_CONFIG_HOME": "\(path)/config",
            "SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/bin:/bin",
            "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
        ].merging(variables) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "app").async {
                continuation.resume(
                    with: Result {
                        try process.run()
                        let text = String(
                            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
                        process.waitUntilExit()
                        return text
                    })
            }
        }
    }
}

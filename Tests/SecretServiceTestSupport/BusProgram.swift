internal import CredentialTestSupport
package import Foundation

/// A program of the machine that is run to its end as a client on a private bus, such as `secret-tool`.
package struct BusProgram: Sendable {
    package let status: Int32
    package let output: Data
    package let errors: String

    package var text: String { String(decoding: output, as: UTF8.self) }
}

extension PrivateBus {
    /// Runs a program to its end; one that takes too long is ended, and its status is that of the signal.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - input: What it reads from standard input.
    ///   - variables: More variables for it.
    ///   - seconds: How long it may take.
    /// - Returns: How it ended and what it printed.
    /// - Throws: When it cannot be started.
    package func run(
        _ command: [String],
        input: Data = Data(),
        variables: [String: String] = [:],
        within seconds: Int = 60
    ) throws -> BusProgram {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["timeout", "-k", "1", "\(seconds)"] + command
        process.environment = Sanitizer.variables.merging(self.variables) { $1 }.merging(variables) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        // Files, not pipes: neither side can wait for the other.
        let stem = "\(directory)/run-\(UUID().uuidString)"
        let paths = ["in", "out", "err"].map { "\(stem).\($0)" }
        let files = try paths.map { try FileHandle(file: $0) }
        defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
        try files[0].write(contentsOf: input)
        try files[0].seek(toOffset: 0)
        (process.standardInput, process.standardOutput, process.standardError) = (files[0], files[1], files[2])
        try process.run()
        process.waitUntilExit()
        let output = try Data(contentsOf: URL(fileURLWithPath: paths[1]))
        let errors = try Data(contentsOf: URL(fileURLWithPath: paths[2]))
        let isSignal = process.terminationReason == .uncaughtSignal
        return BusProgram(
            status: process.terminationStatus + (isSignal ? 128 : 0), output: output,
            errors: String(decoding: errors, as: UTF8.self))
    }

    /// Runs `secret-tool`, a client of the Secret Service that is not ours.
    package func secretTool(_ arguments: String..., input: Data = Data()) throws -> BusProgram {
        try run(["secret-tool"] + arguments, input: input)
    }
}

extension FileHandle {
    fileprivate convenience init(file path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forUpdatingAtPath: path)
        else { throw BusAgent.Failure(name: "file", text: "cannot be made") }
        self.init(fileDescriptor: dup(handle.fileDescriptor), closeOnDealloc: true)
    }
}

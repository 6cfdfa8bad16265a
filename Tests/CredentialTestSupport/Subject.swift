internal import Dispatch
internal import Foundation
internal import Glibc

/// Runs the helper executable that stands beside the test binary, in a process of its own.
package enum Subject {
    /// How a run ended.
    package struct Result: Sendable {
        /// The exit status; 128 and the number for a signal.
        package let status: Int32
        /// What it printed, standard error included.
        package let output: String
    }

    /// What the tests need and the machine does not give.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs one command of the helper.
    ///
    /// - Parameters:
    ///   - arguments: The command and its arguments.
    ///   - lockedMemoryLimit: How many bytes the process may lock. Root may lock anything, so that a process with such
    ///     a limit runs as an ordinary user.
    /// - Returns: How the process ended and what it printed.
    /// - Throws: When the helper or one of the tools cannot be started.
    package static func run(_ arguments: String..., lockedMemoryLimit: Int? = nil) async throws -> Result {
        // Waiting for a process blocks a thread, and the pool that tests run on has only a few.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "subject").async {
                continuation.resume(with: Swift.Result { try runBlocking(arguments, lockedMemoryLimit) })
            }
        }
    }

    private static func runBlocking(_ arguments: [String], _ lockedMemoryLimit: Int?) throws -> Result {
        let executable = try executable()
        var command = [executable.path] + arguments
        var directory: URL?
        defer { if let directory { try? FileManager.default.removeItem(at: directory) } }
        if let lockedMemoryLimit {
            if geteuid() == 0 {
                // An ordinary user may not be able to reach the build directory.
                let copy = try readableCopy(of: executable)
                directory = copy.deletingLastPathComponent()
                command[0] = copy.path
                command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
            }
            command = ["prlimit", "--memlock=\(lockedMemoryLimit):\(lockedMemoryLimit)"] + command
        }
        return try run(command)
    }

    private static func run(_ command: [String]) throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let signal = process.terminationReason == .uncaughtSignal
        return Result(
            status: process.terminationStatus + (signal ? 128 : 0),
            output: String(decoding: output, as: UTF8.self))
    }

    private static func executable() throws -> URL {
        let test = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let found = URL(fileURLWithPath: test).deletingLastPathComponent().appendingPathComponent("MemorySubject")
        guard FileManager.default.isExecutableFile(atPath: found.path) else {
            throw Unavailable(description: "the helper executable is not beside the test binary")
        }
        return found
    }

    private static func readableCopy(of executable: URL) throws -> URL {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("subject-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        let copy = directory.appendingPathComponent(executable.lastPathComponent)
        // By another process: a file that this one wrote may still be open in a child that is just being started, and
        // a file that is open for writing does not start.
        guard try run(["cp", executable.path, copy.path]).status == 0 else {
            throw Unavailable(description: "the helper executable cannot be copied")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: copy.path)
        return copy
    }
}

import CredentialStorage
import CredentialTestSupport
import Foundation

/// A running helper process that uses a vault; its lines are read as they come.
final class SubjectProcess: @unchecked Sendable {
    // Unchecked: `Process` and the pipes are used by the thread that made them; `rest` too.
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()
    private var rest: [UInt8] = []

    var identifier: pid_t { process.processIdentifier }

    /// Starts the helper with a command, the vault, the key file, and what the command wants.
    ///
    /// The prefix is a command that starts it, such as one that drops privileges.
    init(_ arguments: [String], prefix: [String] = [], environment: [String: String] = [:]) throws {
        let test = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let executable = URL(fileURLWithPath: test).deletingLastPathComponent().appendingPathComponent("FileSubject")
            .path
        guard FileManager.default.isExecutableFile(atPath: executable) else {
            throw FileProblem(description: "the helper executable is not beside the test binary")
        }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = prefix + [executable] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// What starts the helper as an ordinary user, who may do less than root and owns these paths; nothing when the
    /// tests run as one already.
    static func ordinaryUser(owning paths: [String]) throws -> [String] {
        guard geteuid() == 0 else { return [] }
        for path in paths { chown(path, 65534, 65534) }
        return [
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", "shift; exec \"$0\" \"$@\"",
            try readableCopy(),
        ]
    }

    /// The helper where any user can reach it.
    private static func readableCopy() throws -> String {
        let test = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let directory = try TemporaryDirectory().path
        chmod(directory, 0o755)
        let copy = directory + "/FileSubject"
        try FileManager.default.copyItem(
            atPath: (test as NSString).deletingLastPathComponent + "/FileSubject", toPath: copy)
        chmod(copy, 0o755)
        return copy
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The next line, or `nil` at the end.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            rest += data
        }
    }

    /// All lines that are left, and the exit status; a signal is negative.
    func finish() -> (lines: [String], status: Int32) {
        try? input.fileHandleForWriting.close()
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        process.waitUntilExit()
        let isSignal = process.terminationReason == .uncaughtSignal
        return (lines, isSignal ? -process.terminationStatus : process.terminationStatus)
    }

    /// Gives a command to the helper and reads its answer.
    func ask(_ command: String) -> String? {
        input.fileHandleForWriting.write(Data((command + "\n").utf8))
        return line()
    }

    /// Gives bytes to the helper.
    func send(_ bytes: [UInt8]) { input.fileHandleForWriting.write(Data(bytes)) }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Runs a command to its end.
    static func run(
        _ arguments: String...,
        prefix: [String] = [],
        environment: [String: String] = [:]
    ) throws -> (lines: [String], status: Int32) {
        try SubjectProcess(arguments, prefix: prefix, environment: environment).finish()
    }
}

internal import CredentialStorage
internal import Foundation

/// The program that holds a private bus and everything on it, `Tests/Tools/bus_agent.py`.
///
/// It ends, and ends all that it started, when its standard input ends: with this object, or with this process,
/// however that ends.
final class BusAgent: Sendable {
    /// What it answered when something failed.
    struct Failure: Error, CustomStringConvertible {
        /// The D-Bus name of the error, or the kind of the agent's own failure.
        let name: String
        let text: String
        var description: String { "the bus agent: \(name): \(text)" }
    }

    private let input = Pipe()
    private let output = Pipe()
    private let process = Locked<Process?>(nil)

    init(directory: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-B", Tool.busAgent.path, directory]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        self.process.withLock { $0 = process }
    }

    deinit { end() }

    /// Gives a command and waits for its answer; one at a time.
    func ask(_ command: String, _ arguments: [String: Any] = [:]) throws -> Any? {
        let request = try JSONSerialization.data(withJSONObject: arguments.merging(["do": command]) { $1 })
        let answer = try process.withLock { process in
            guard process != nil else { throw Failure(name: "ended", text: command) }
            try input.fileHandleForWriting.write(contentsOf: request + [UInt8(ascii: "\n")])
            return try Self.read(output.fileHandleForReading)
        }
        let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any] ?? [:]
        if let error = object["error"] as? [String: String] {
            throw Failure(name: error["name"] ?? "", text: error["text"] ?? "")
        }
        return object["ok"]
    }

    /// One line; answers come one at a time, so nothing follows it.
    private static func read(_ handle: Foundation.FileHandle) throws -> Data {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let more = handle.availableData
            if more.isEmpty { throw Failure(name: "ended", text: "no answer") }
            line += more
        }
        return line
    }

    /// Ends it, and returns when everything that it started is gone.
    func end() {
        let process = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let process else { return }
        try? input.fileHandleForWriting.close()
        // Its end of the pipe is closed when it has ended the others.
        while !output.fileHandleForReading.availableData.isEmpty {}
        process.waitUntilExit()
    }
}

/// The programs in `Tests/Tools`.
package enum Tool: String {
    case busAgent = "bus_agent.py"
    case scriptedProvider = "scripted_provider.py"

    package var path: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../Tools/\(rawValue)").standardizedFileURL.path
    }
}

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

    private struct Line {
        var process: Process?
        var rest = Data()
    }

    private let input = Pipe()
    private let output = Pipe()
    private let line = Locked(Line())

    init(directory: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-B", Tool.busAgent.path, directory]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        line.withLock { $0.process = process }
    }

    deinit { end() }

    /// Gives a command and waits for its answer; one at a time.
    func ask(_ command: String, _ arguments: [String: Any] = [:]) throws -> Any? {
        let request = try JSONSerialization.data(withJSONObject: arguments.merging(["do": command]) { $1 })
        let answer = try line.withLock { line in
            guard line.process != nil else { throw Failure(name: "ended", text: command) }
            try input.fileHandleForWriting.write(contentsOf: request + [UInt8(ascii: "\n")])
            return try Self.read(output.fileHandleForReading, &line.rest)
        }
        let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any] ?? [:]
        if let error = object["error"] as? [String: String] {
            throw Failure(name: error["name"] ?? "", text: error["text"] ?? "")
        }
        return object["ok"]
    }

    private static func read(_ handle: Foundation.FileHandle, _ rest: inout Data) throws -> Data {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[rest.index(after: end)...]) }
                return Data(rest[..<end])
            }
            let more = handle.availableData
            if more.isEmpty { throw Failure(name: "ended", text: "no answer") }
            rest += more
        }
    }

    /// Ends it, and returns when everything that it started is gone.
    func end() {
        let process = line.withLock { line in
            defer { line.process = nil }
            return line.process
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

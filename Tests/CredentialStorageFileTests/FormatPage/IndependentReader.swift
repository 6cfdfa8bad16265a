import CredentialStorage
import Foundation

/// The second implementation of the format, `Tests/Tools/vault_reader.py`, in a process of its own.
enum IndependentReader {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What it prints for one vault.
    struct Answer: Decodable {
        struct Pair: Decodable {
            let name: String
            let value: Data
        }

        let error: String?
        let entries: [Pair]?
        let omitted: [String?]?
        let lost: Int?
        let frames: Int?
        let tail: Int?
        let published: Int?
        let torn: [Int]?
        let headerCopies: [Bool]?

        var verdict: Verdict {
            if let error { return .refused(error) }
            return .read(
                entries: entries!.map { Entry(key: $0.name, value: $0.value) },
                omitted: omitted!.map { OmittedEntry(key: $0, reason: .damaged) }, lost: lost!)
        }
    }

    struct Run {
        let status: Int32
        let output: Data

        func answers() throws -> [Answer] {
            try output.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Answer.self, from: $0) }
        }
    }

    private static let tool = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Tools/vault_reader.py").standardizedFileURL

    static let reasonForSkip: String = "Debian's python3-nacl is missing, so there is no independent reader"
    static let isThere: Bool = (try? python(["-c", "import nacl.bindings"]).status) == 0

    static func run(_ arguments: [String], input: Data = Data()) throws -> Run {
        try python(["-B", tool.path] + arguments, input: input)
    }

    /// One answer for each vault.
    static func read(_ vaults: [String], _ source: [String]) throws -> [Answer] {
        let run = try run(vaults + source)
        let answers = try run.answers()
        guard answers.count == vaults.count else {
            throw Failure(description: "the reader gave \(answers.count) answers and status \(run.status)")
        }
        return answers
    }

    private static func python(_ arguments: [String], input: Data = Data()) throws -> Run {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = arguments
        // Both go through files, so that no pipe can fill up.
        let name = FileManager.default.temporaryDirectory.appending(path: "reader-\(UUID().uuidString)")
        let (inputFile, outputFile) = (name.appendingPathExtension("in"), name.appendingPathExtension("out"))
        defer { for file in [inputFile, outputFile] { try? FileManager.default.removeItem(at: file) } }
        try input.write(to: inputFile)
        try Data().write(to: outputFile)
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        try process.run()
        process.waitUntilExit()
        return Run(status: process.terminationStatus, output: try Data(contentsOf: outputFile))
    }
}

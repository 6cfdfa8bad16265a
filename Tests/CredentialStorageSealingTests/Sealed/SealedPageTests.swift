import CredentialStorage
import Foundation
import Testing

@testable import CredentialStorageSealing

/// `docs/sealed-records.md`, the code, and a reader made from the page alone cannot part.
@Suite("The page about sealed records", .timeLimit(.minutes(5)))
struct SealedPageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    private static let reader = root.appending(path: "Tests/Tools/sealed_reader.py").standardizedFileURL
    private static let isReaderThere: Bool = (try? python(["-c", "import nacl.bindings"], Data()).status) == 0

    private let base = StorageBuilder.InMemory().valueLimit(1 << 24).build()

    @Test("it shows the records that the code makes", arguments: SealedNames.allCases)
    func examples(_ names: SealedNames) throws {
        let store = base.sealed(with: SealingKeys(try testKey(0))).names(names).randomness(StuckRandomness())
        try store.set("secret", forKey: "example")
        let (place, record) = try base.onlyRecord()
        let page = try String(
            contentsOf: Self.root.appending(path: "docs/sealed-records.md").standardizedFileURL, encoding: .utf8)
        let digits = record.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let lines = stride(from: 0, to: digits.count, by: 32).map { start in
            digits[start..<min(start + 32, digits.count)].joined()
        }
        #expect(page.contains(place) || names == .clear, "\(place)")
        #expect(page.contains(lines.joined(separator: "\n")), "\(lines.joined(separator: "\n"))")
    }

    @Test(
        "an independent reader finds the same entries and gives the same reasons",
        .enabled(if: isReaderThere, "Debian's python3-nacl is missing, so there is no independent reader"),
        arguments: SealedNames.allCases)
    func independentReader(_ names: SealedNames) throws {
        func store(_ key: UInt8) throws -> SealedStorage<InMemoryStorage> {
            base.sealed(with: SealingKeys(try testKey(key))).names(names)
        }
        let sizes = [0, 1, 27, 28, 29, 508, 509, 5000, 70_000, 1 << 20]
        for (index, size) in sizes.enumerated() {
            try store(1).set(Data((0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) }), forKey: "size \(index)")
        }
        for name in ["caf\u{E9}", "cafe\u{301}", "\u{1F511}", String(repeating: "x", count: 1024)] {
            try store(2).set(Data(name.utf8), forKey: name)
        }
        try store(3).set("of a lost key", forKey: "lost")
        try store(4).set("of another key", forKey: "other")
        try base.set("never sealed", forKey: "foreign")
        try base.set(Data(), forKey: "sealed-nothing")
        // A damaged copy of one entry for each byte that a record may lose.
        var damaged = 0
        for index in stride(from: 0, to: 200, by: 3) {
            let known = Set(try base.keys())
            try store(1).set("damaged", forKey: "damaged \(index)")
            let place = try #require(Set(try base.keys()).subtracting(known).first)
            var record = try #require(try base.get(place))
            guard index < record.count else { continue }
            record[index] ^= 0x10
            try base.set(record, forKey: place)
            damaged += 1
        }
        #expect(damaged > 30)
        try store(1).set("newer", forKey: "newer")
        let places = try base.keys().filter { names == .sealed || $0 == "newer" }
        for place in places where try name(at: place, names) == "newer" { try base.forgeHead(place) { $0[4] = 9 } }

        let keys = SealingKeys(try testKey(1), others: [try testKey(2)], lost: [try testKey(3).id])
        let mine = try base.sealed(with: keys).names(names).readAll()
        let answer = try Self.read(base, keys: [1, 2], lost: [testKey(3).id.text], names)
        #expect(answer.ids == keys.all.map(\.id.text))
        #expect(answer.entries.count == mine.entries.count && mine.entries.count >= 14)
        for entry in mine.entries {
            #expect(answer.entries.contains { $0 == entry })
        }
        func sorted(_ omitted: [OmittedEntry]) -> [String] {
            omitted.map { "\($0.key ?? "-") \($0.reason.rawValue)" }.sorted()
        }
        #expect(sorted(answer.omitted) == sorted(mine.omitted))
        #expect(Set(mine.omitted.map(\.reason)) == [.damaged, .wrongKey, .keyLost, .formatTooNew])
    }

    private func name(at place: String, _ names: SealedNames) throws -> String? {
        guard names == .sealed else { return place }
        guard let sealed = SealedPlace(place), let record = try base.get(place) else { return nil }
        let sealer = Sealer(keys: SealingKeys(try testKey(1)), names: names, randomness: SystemRandomness())
        return try sealer.name(in: record, at: sealed)?.name
    }

    private struct Answer {
        var ids: [String] = []
        var entries: [Entry] = []
        var omitted: [OmittedEntry] = []
    }

    private static func read(
        _ base: some Storage,
        keys: [UInt8],
        lost: [String],
        _ names: SealedNames
    ) throws -> Answer {
        let request: [String: Any] = [
            "keys": keys.map { first in (0..<32).map { String(format: "%02x", first &+ $0) }.joined() },
            "lost": lost, "names": names.rawValue,
            "base": try base.readAll().entries.map { [$0.key, $0.value.base64EncodedString()] },
        ]
        let run = try python(["-B", reader.path], JSONSerialization.data(withJSONObject: request))
        guard run.status == 0 else { throw StorageError.conflict }
        let answer = try #require(try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
        var result = Answer()
        result.ids = try #require(answer["ids"] as? [String])
        for pair in try #require(answer["entries"] as? [[String]]) {
            result.entries.append(Entry(key: pair[0], value: try #require(Data(base64Encoded: pair[1]))))
        }
        for pair in try #require(answer["omitted"] as? [[Any]]) {
            let reason = try #require((pair[1] as? String).flatMap(UndecryptableReason.init(rawValue:)))
            result.omitted.append(OmittedEntry(key: pair[0] as? String, reason: reason))
        }
        return result
    }

    private static func python(_ arguments: [String], _ input: Data) throws -> (status: Int32, output: Data) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = arguments
        // Both go through files, so that no pipe can fill up.
        let name = FileManager.default.temporaryDirectory.appending(path: "sealed-\(UUID().uuidString)")
        let (inputFile, outputFile) = (name.appendingPathExtension("in"), name.appendingPathExtension("out"))
        defer { for file in [inputFile, outputFile] { try? FileManager.default.removeItem(at: file) } }
        try input.write(to: inputFile)
        try Data().write(to: outputFile)
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, try Data(contentsOf: outputFile))
    }
}

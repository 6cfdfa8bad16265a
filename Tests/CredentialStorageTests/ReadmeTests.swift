import CredentialStorage
import FoundationEssentials
import Testing

@Suite("README.md")
struct ReadmeTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// `CREDSTORE_WRITE_README=1` makes this test write the table first.
    @Test("the tables of errors are the one error table, row for row")
    func errorTable() throws {
        let page = Self.root.appending(path: "README.md")
        #expect(ErrorTable.all.count > 50)
        let expected = """
            \(table(ErrorTable.all))
            And these happen to a command line, not to a store:

            \(table(ErrorTable.tool))
            """

        if ProcessInfo.processInfo.environment["CREDSTORE_WRITE_README"] == "1" {
            var readme = try text(of: page)
            readme.replaceSubrange(try block(of: readme), with: expected)
            try Data(readme.utf8).write(to: page)
        }
        let readme = try text(of: page)
        #expect(readme[try block(of: readme)] == expected, "'make docs' writes the table")
    }

    @Test(
        "every sample of Swift is code that the package of an outsider compiles",
        arguments: ["README.md", "docs/own-store.md", "docs/update-client.md"])
    func samples(page: String) throws {
        let blocks = try swiftBlocks(of: text(of: Self.root.appending(path: page)))
            // `scripts/linkage` reads the manifest itself.
            .filter { $0.first?.hasPrefix("// swift-tools-version") != true }
        #expect(!blocks.isEmpty)
        let files = try compiledFiles().map {
            try text(of: $0).split(separator: "\n", omittingEmptySubsequences: false)
        }
        for block in blocks {
            let isCompiled = files.contains { lines in
                lines.indices.contains { lines[$0...].prefix(block.count).elementsEqual(block) }
            }
            #expect(isCompiled, "\(page): no file under Tests/LinkageTest holds\n\(block.joined(separator: "\n"))")
        }
    }

    private func table(_ rows: [ErrorRow]) -> String {
        let lines =
            ["| exit | cause | what happened | what to do |", "|---|---|---|---|"]
            + rows.map { "| \($0.exitCode) | `\($0.notation)` | \($0.sentence) | \($0.remedy) |" }
        return lines.map { $0 + "\n" }.joined()
    }

    private func swiftBlocks(of page: String) -> [[Substring]] {
        var blocks: [[Substring]] = []
        var block: [Substring]?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```swift" {
                block = []
            } else if line == "```", let whole = block {
                blocks.append(whole)
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    private func compiledFiles() throws -> [URL] {
        let folders = [
            "Sources/ReadmeUser", "Sources/SecretServiceUser", "Sources/UpdateUser", "Tests/ContractUserTests",
        ]
        return try folders.flatMap { folder in
            let folder = Self.root.appending(path: "Tests/LinkageTest").appending(path: folder)
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).map { folder.appending(path: $0) }
        }
    }

    private func text(of page: URL) throws -> String {
        try #require(String(validating: try Data(contentsOf: page), as: UTF8.self))
    }

    /// What stands between the two marks.
    private func block(of readme: String) throws -> Range<String.Index> {
        let begin = try #require(readme.firstRange(of: "<!-- errors:begin -->\n"), "the block has a beginning")
        let end = try #require(readme.firstRange(of: "<!-- errors:end -->"), "the block has an end")
        return begin.upperBound..<end.lowerBound
    }
}

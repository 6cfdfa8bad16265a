import CredentialStorage
import FoundationEssentials
import Testing

@Suite("README.md")
struct ReadmeTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// `CREDSTORE_WRITE_README=1` makes this test write the table first.
    @Test("the table of errors is the one error table, row for row")
    func errorTable() throws {
        let page = Self.root.appending(path: "README.md")
        let rows = (ErrorTable.all + ErrorTable.tool).sorted { ($0.exitCode, $0.name) < ($1.exitCode, $1.name) }
        #expect(rows.count > 50)
        let lines =
            ["| exit | cause | what happened | what to do |", "|---|---|---|---|"]
            + rows.map { "| \($0.exitCode) | `\($0.name)` | \($0.sentence) | \($0.remedy) |" }
        let expected = lines.map { $0 + "\n" }.joined()

        if ProcessInfo.processInfo.environment["CREDSTORE_WRITE_README"] == "1" {
            var readme = try text(of: page)
            readme.replaceSubrange(try block(of: readme), with: expected)
            try Data(readme.utf8).write(to: page)
        }
        let readme = try text(of: page)
        #expect(readme[try block(of: readme)] == expected, "'make docs' writes the table")
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

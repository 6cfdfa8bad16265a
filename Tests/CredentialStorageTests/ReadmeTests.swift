import CredentialStorage
import FoundationEssentials
import Testing

@Suite("README.md")
struct ReadmeTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("the table of errors is the one error table, row for row")
    func errorTable() throws {
        let readme = String(decoding: try Data(contentsOf: Self.root.appending(path: "README.md")), as: UTF8.self)
        let before = try #require(readme.firstRange(of: "<!-- errors:begin -->\n"), "the block has a beginning")
        let after = try #require(readme.firstRange(of: "<!-- errors:end -->"), "the block has an end")
        let table = readme[before.upperBound..<after.lowerBound]

        let head = ["| exit | cause | what happened | what to do |", "|---|---|---|---|"]
        let rows = ErrorTable.all.map { "| \($0.exitCode) | `\($0.name)` | \($0.sentence) | \($0.remedy) |" }
        let expected = (head + rows).joined(separator: "\n") + "\n"
        #expect(rows.count > 40)
        #expect(table == expected, "put this between the marks:\n\(expected)")
    }
}

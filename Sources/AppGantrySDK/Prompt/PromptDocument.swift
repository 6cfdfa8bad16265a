/// The content of a prompt as rows of a given width, without the choices.
///
/// Where a row of ours holds text of the server, that stands at its end, so that text from right to left moves nothing of ours.
struct PromptDocument: Equatable {
    struct Row: Equatable {
        let text: String
        var isStrong = false
    }

    private(set) var rows: [Row] = []
    private static let nameLimit = 200
    private static let notesLimit = 20_000

    /// Lays the content out, with so many rows at the top left to the icon.
    init(_ content: UpdatePromptContent, columns: Int, iconRows: Int = 0) {
        rows = Array(repeating: Row(text: ""), count: iconRows)
        add(content.isMandatory ? "A required update is available" : "An update is available", columns)
        let name = ServerText.line(content.appName, limit: Self.nameLimit)
        let shownName = name.isEmpty ? ServerText.line(UpdatePromptContent.processName, limit: Self.nameLimit) : name
        add(shownName, columns, isStrong: true)
        let version = ServerText.line(content.versionName ?? "", limit: Self.nameLimit)
        if !version.isEmpty { add("Version \(version)", columns) }
        if let build = content.buildNumber { add("Build \(build)", columns) }
        addNotes(content.releaseNotes ?? "", columns)
    }

    private mutating func add(_ line: String, _ columns: Int, isStrong: Bool = false) {
        rows += TextWrapping.rows(of: line, width: columns).map { Row(text: $0, isStrong: isStrong) }
    }

    private mutating func addNotes(_ notes: String, _ columns: Int) {
        let indent = columns >= 24 ? "  " : ""
        let lines = ServerText.paragraphs(notes, limit: Self.notesLimit)
        guard let first = lines.firstIndex(where: \.isShown), let last = lines.lastIndex(where: \.isShown) else {
            return
        }
        rows.append(Row(text: ""))
        add("What is new", columns, isStrong: true)
        var wasEmpty = false
        for line in lines[first...last] {
            if line.isShown {
                rows += TextWrapping.rows(of: line, width: columns - indent.count).map { Row(text: indent + $0) }
            } else if !wasEmpty {
                rows.append(Row(text: ""))
            }
            wasEmpty = !line.isShown
        }
    }
}

extension String {
    fileprivate var isShown: Bool { contains { !$0.isWhitespace } }
}

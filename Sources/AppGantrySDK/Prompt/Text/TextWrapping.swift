/// Breaking a line of text into rows of so many cells.
enum TextWrapping {
    /// The rows of one line.
    ///
    /// They break at spaces and beside wide characters, which need no spaces; a word longer than a row breaks where the
    /// row ends, never inside a character.
    static func rows(of line: String, width: Int) -> [String] {
        var rows: [String] = []
        var row = Row()
        for piece in pieces(of: line) {
            let cells = CharacterWidth.of(piece)
            // Where a row was broken, the spaces have gone with the break.
            if piece == " ", row.isEmpty, !rows.isEmpty { continue }
            if row.cells + cells <= width {
                row.append(piece, cells)
            } else if piece == " " {
                rows.append(row.take())
            } else {
                // Not an indentation alone.
                let before = row.take()
                if !before.isEmpty { rows.append(before) }
                for character in piece {
                    // What no row can hold is still told of.
                    let fitting = CharacterWidth.of(character) <= width ? character : "?"
                    let cells = CharacterWidth.of(fitting)
                    if row.cells + cells > width { rows.append(row.take()) }
                    row.append(String(fitting), cells)
                }
            }
        }
        rows.append(row.take())
        return rows
    }

    private struct Row {
        private(set) var cells = 0
        private var text = ""

        var isEmpty: Bool { text.isEmpty }

        mutating func append(_ piece: String, _ width: Int) {
            text += piece
            cells += width
        }

        /// The row without the spaces at its end.
        mutating func take() -> String {
            defer { self = Row() }
            let end = text.lastIndex { $0 != " " }
            return end.map { String(text[...$0]) } ?? ""
        }
    }

    private static func pieces(of line: String) -> [String] {
        var pieces: [String] = []
        var word = ""
        for character in line {
            if character == " " || CharacterWidth.of(character) > 1 {
                if !word.isEmpty { pieces.append(word) }
                word = ""
                pieces.append(String(character))
            } else {
                word.append(character)
            }
        }
        if !word.isEmpty { pieces.append(word) }
        return pieces
    }
}

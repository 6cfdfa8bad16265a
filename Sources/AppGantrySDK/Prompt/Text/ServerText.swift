/// Text of a server made safe to stand on a terminal beside our own.
///
/// What is left: letters of every script, marks on them, emoji and line breaks. What goes: escape sequences, control
/// characters, and what cannot be seen but changes the order or the meaning of what can.
enum ServerText {
    /// How much is looked at, whatever the server sends.
    static let inputLimit = 1 << 18
    private static let markLimit = 6

    /// A text of several lines.
    static func paragraphs(_ text: String, limit: Int) -> [String] {
        clean(text, limit: limit).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// A text of one line, as a name is.
    static func line(_ text: String, limit: Int) -> String {
        clean(text, limit: limit).split { $0 == "\n" || $0 == " " }.joined(separator: " ")
    }

    private static func clean(_ text: String, limit: Int) -> String {
        let scalars = EscapeFilter.visible(Array(text.unicodeScalars.prefix(inputLimit)))
        var kept = String.UnicodeScalarView()
        var last: Unicode.Scalar = "\n"
        var marks = 0
        for (index, scalar) in scalars.enumerated() {
            let next = index + 1 < scalars.count ? scalars[index + 1] : "\n"
            guard let replacement = replacement(for: scalar, after: last, before: next) else { continue }
            marks = replacement.isMark ? marks + 1 : 0
            if marks > markLimit || (replacement.isMark && last == "\n") { continue }
            if replacement == "\t" {
                kept.append(contentsOf: "    ".unicodeScalars)
                last = " "
            } else {
                kept.append(replacement)
                last = replacement
            }
        }
        let whole = String(kept)
        guard let end = whole.index(whole.startIndex, offsetBy: limit, limitedBy: whole.endIndex) else { return whole }
        return end == whole.endIndex ? whole : whole[..<end] + "..."
    }

    private static func replacement(
        for scalar: Unicode.Scalar, after last: Unicode.Scalar, before next: Unicode.Scalar
    ) -> Unicode.Scalar? {
        switch scalar.value {
        // The two halves of one line break.
        case 0x0D where next == "\n": return nil
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: return "\n"
        case 0x09: return "\t"
        case 0x00...0x1F, 0x7F...0x9F, 0xFFF9...0xFFFB: return nil
        // Joiners shape some scripts and some emoji; between other letters they only hide.
        case 0x200C, 0x200D:
            return last.value >= 0x0600 && next.value >= 0x0600 && !next.properties.isDefaultIgnorableCodePoint
                ? scalar : nil
        case 0xFE00...0xFE0F:
            return last == "\n" || last == " " || (0xFE00...0xFE0F).contains(last.value) ? nil : scalar
        case _ where scalar.properties.isDefaultIgnorableCodePoint: return nil
        case _ where scalar.properties.isNoncharacterCodePoint: return "\u{FFFD}"
        default: return scalar
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is drawn onto the character before it.
    var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }
}

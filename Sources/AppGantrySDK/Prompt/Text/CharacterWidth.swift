/// How many cells of a terminal a character takes, counted as one that draws each part of it would need.
///
/// Terminals differ on joined emoji and on modifiers. A count that is too high only breaks a line early.
enum CharacterWidth {
    static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + of($1) } }

    static func of(_ character: Character) -> Int {
        var width = 0
        var isJoined = false
        for scalar in character.unicodeScalars {
            switch scalar.value {
            case 0x20...0x7E: width += 1
            case 0x200D: isJoined = true
            // Asks for the form of an emoji, which takes two cells.
            case 0xFE0F: width = max(width, 2)
            case _ where scalar.isMark || scalar.properties.isDefaultIgnorableCodePoint: continue
            default:
                if !isJoined { width += isWide(scalar.value) ? 2 : 1 }
                isJoined = false
            }
        }
        return width
    }

    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= wide[0].lowerBound else { return false }
        var (low, high) = (0, wide.count)
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(value)
    }

    /// Made from the property East_Asian_Width (values W and F) of the Unicode Character Database 14.0.
    ///
    /// Ranges that only unassigned code points part are one, and so are, beyond the basic plane, blocks that are mostly
    /// wide.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
        0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1,
        0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA,
        0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B,
        0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
        0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E,
        0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAD9,
        0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FB, 0x1F004...0x1F004,
        0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F64F, 0x1F680...0x1F6FF,
        0x1F7E0...0x1F7F0, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
    ]
}

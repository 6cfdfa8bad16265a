/// Takes the sequences out of a text that a terminal would obey.
///
/// The forms are those of ECMA-48: a control sequence, a string that has a terminator, and an escape with its
/// intermediate characters, each as ESC and a letter or as one character of C1.
struct EscapeFilter {
    private let scalars: [Unicode.Scalar]
    /// Found once: a text full of openings must not be searched to its end for each of them.
    private var nothingTerminates = false

    static func visible(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var filter = EscapeFilter(scalars: scalars)
        return filter.run()
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private mutating func run() -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count)
        var index = 0
        while index < scalars.count {
            switch scalars[index].value {
            case 0x1B: index = afterEscape(index + 1)
            case 0x9B: index = afterControlSequence(index + 1)
            case 0x90, 0x98, 0x9D...0x9F: index = afterString(index + 1)
            default:
                result.append(scalars[index])
                index += 1
            }
        }
        return result
    }

    private mutating func afterEscape(_ start: Int) -> Int {
        guard start < scalars.count else { return start }
        switch scalars[start] {
        case "[": return afterControlSequence(start + 1)
        case "]", "P", "X", "^", "_": return afterString(start + 1)
        case " "..."/":
            let end = skip(" "..."/", from: start)
            return end < scalars.count && ("0"..."~").contains(scalars[end]) ? end + 1 : end
        case "0"..."~": return start + 1
        default: return start
        }
    }

    private func afterControlSequence(_ start: Int) -> Int {
        let end = skip(" "..."/", from: skip("0"..."?", from: start))
        return end < scalars.count && ("@"..."~").contains(scalars[end]) ? end + 1 : end
    }

    /// A string that nothing ends loses its opening alone, so that it cannot take the rest of the text away.
    private mutating func afterString(_ start: Int) -> Int {
        if nothingTerminates { return start }
        for index in start..<max(start, scalars.count) {
            switch scalars[index].value {
            case 0x07, 0x18, 0x1A, 0x9C: return index + 1
            case 0x1B:
                let isTerminator = index + 1 < scalars.count && scalars[index + 1] == "\\"
                return isTerminator ? index + 2 : index
            default: continue
            }
        }
        nothingTerminates = true
        return start
    }

    private func skip(_ range: ClosedRange<Unicode.Scalar>, from start: Int) -> Int {
        var index = start
        while index < scalars.count, range.contains(scalars[index]) { index += 1 }
        return index
    }
}

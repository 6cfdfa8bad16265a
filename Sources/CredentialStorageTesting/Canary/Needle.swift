internal import FoundationEssentials

/// One disguise of a canary: any window of it counts as found.
struct Needle: Sendable {
    let label: String
    let bytes: [UInt8]
    /// How many bytes in a row count as a leak.
    let window: Int

    /// How many bytes of the plain form count as a leak; a cut or shortened secret is one too.
    static let plainWindow = 12

    static func all(for plain: [UInt8], of what: String) -> [Needle] {
        disguises(of: plain).flatMap { form, bytes, perByte in
            let window = min(bytes.count, Int((Double(plainWindow) * perByte).rounded(.up)))
            return [
                Needle(label: "\(what) as \(form)", bytes: bytes, window: window),
                Needle(label: "\(what) as \(form), backwards", bytes: bytes.reversed(), window: window),
            ]
        }
    }

    private static func disguises(of plain: [UInt8]) -> [(form: String, bytes: [UInt8], perByte: Double)] {
        var forms: [(form: String, bytes: [UInt8], perByte: Double)] = [
            ("plain text", plain, 1),
            ("UTF-16", plain.flatMap { [$0, 0] }, 2),
            ("numbers", Array(plain.map { String($0) }.joined(separator: ", ").utf8), 4),
            ("numbers without spaces", Array(plain.map { String($0) }.joined(separator: ",").utf8), 3.5),
        ]
        for (digits, name) in [("0123456789abcdef", "hexadecimal"), ("0123456789ABCDEF", "upper-case hexadecimal")] {
            let digits = Array(digits.utf8)
            let pairs = plain.map { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            forms.append((name, pairs.flatMap(\.self), 2))
            for (prefix, kind) in [
                ("%", "percent"), ("\\x", "escapes"), ("\\u00", "JSON escapes"), ("0x", "C numbers"),
            ] {
                forms.append(
                    ("\(name) \(kind)", pairs.flatMap { Array(prefix.utf8) + $0 }, Double(prefix.utf8.count + 2)))
            }
            for (separator, kind) in [(" ", "with spaces"), (":", "with colons"), (", 0x", "C list")] {
                let joined = Array(pairs.joined(separator: Array(separator.utf8)))
                forms.append(("\(name) \(kind)", joined, Double(separator.utf8.count + 2)))
            }
        }
        // Inside a longer encoded text the secret begins at any of three alignments.
        for shift in 0..<3 {
            let encoded = Array(Data(Array(repeating: 0, count: shift) + plain).base64EncodedString().utf8)
            let sure = Array(
                encoded.dropFirst(shift == 0 ? 0 : shift + 1).prefix { $0 != UInt8(ascii: "=") }.dropLast(2))
            forms.append(("base64", sure, 4.0 / 3))
            let url = sure.map { byte -> UInt8 in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }
            if url != sure { forms.append(("base64url", url, 4.0 / 3)) }
        }
        return forms
    }
}

/// Bytes that are looked through for many needles.
struct Haystack {
    private let bytes: [UInt8]

    init(_ bytes: Data) { self.bytes = Array(bytes) }

    func contains(_ needle: Needle) -> Bool {
        guard needle.window > 0, bytes.count >= needle.window, needle.bytes.count >= needle.window else { return false }
        var windows: Set<ArraySlice<UInt8>> = []
        for start in 0...(needle.bytes.count - needle.window) {
            windows.insert(needle.bytes[start..<(start + needle.window)])
        }
        // A window must hold every stride-th position of the haystack's match, so the first bytes are enough to skip.
        let firsts = Set(windows.compactMap(\.first))
        for start in 0...(bytes.count - needle.window) where firsts.contains(bytes[start]) {
            if windows.contains(bytes[start..<(start + needle.window)]) { return true }
        }
        return false
    }
}

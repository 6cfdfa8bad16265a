internal import CredentialStorage
internal import FoundationEssentials

/// Values and names that stores get wrong.
enum Samples {
    /// One letter in two forms: equal to `String`, two names to a store.
    static let composed = "caf\u{E9}"
    static let decomposed = "cafe\u{301}"

    /// Unusual names, all valid, up to the longest that is allowed, with what is unusual.
    static func names(upTo limit: Int) -> [(name: String, kind: String)] {
        shortNames + [
            (String(repeating: "\u{1F511}", count: limit / 4), "as many emoji as are allowed"),
            (String(repeating: "x", count: limit), "as many letters as are allowed"),
        ]
    }

    private static let shortNames = [
        ("a/b", "a slash"), ("/", "a slash alone"), ("..", "two dots"), ("../../etc/passwd", "a path that leads up"),
        (".", "a dot"), ("a:b", "a colon"), ("https://example.org/?a=b&c=%00", "an address"),
        ("line\nbreak", "a newline"), ("\r\n", "a line end alone"), ("\t", "a tab"), (" ", "a space"),
        ("  leading and trailing  ", "spaces around"), ("emoji \u{1F511}\u{1F1EA}\u{1F1FA}", "emoji"),
        ("\u{1}\u{1F}\u{7F}", "control characters"), ("back\\slash", "a backslash"), ("quote\"'`", "quotes"),
        ("-dash", "a dash in front"), ("--", "two dashes"), ("*?[]", "wildcards"), ("%41", "a percent escape"),
        ("A", "a capital letter"), ("a", "its small letter"), ("\u{FEFF}", "a byte order mark"),
        ("\u{200B}", "a space without width"), ("null", "the word null"), ("0", "a digit"),
        ("\u{10FFFF}", "the last code point"), (composed, "a composed \u{E9}"), (decomposed, "a decomposed \u{E9}"),
        (String(repeating: "n", count: 255), "255 bytes"), (String(repeating: "n", count: 256), "256 bytes"),
    ]

    /// Names that no store takes, with what is wrong.
    static let invalidNames: [(name: String, why: String)] = [
        ("", "an empty name"),
        ("a\u{0}b", "a name with NUL"),
        ("\u{0}", "NUL alone"),
        (String(repeating: "x", count: EntryKey.maximumLength + 1), "a name of 1025 bytes"),
        (
            String(repeating: "\u{E9}", count: EntryKey.maximumLength / 2) + "x",
            "a name of 1025 bytes in two-byte letters"
        ),
        (String(repeating: "x", count: 1 << 16), "a name of 64 KiB"),
    ]

    /// Names whose byte order differs from the order of `String`, of UTF-16, of case folding or of insertion.
    static let namesInByteOrder = [
        "A", "Z", "a", "a/", "a0", "aa", "b", "cafe", decomposed, "cafz", composed, "z",
        "\u{E9}", "\u{D7FF}", "\u{FF5E}", "\u{1F511}",
    ].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }

    /// Reproducible bytes that repeat with a period of a prime, so that no block equals the next.
    static func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        var bytes = Data()
        for _ in 0..<min(count, 1021) {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            bytes.append(UInt8(truncatingIfNeeded: state >> 24))
        }
        while bytes.count < count { bytes += bytes }
        return Data(bytes.prefix(count))
    }

    /// Values whose bytes some stores change.
    static let awkwardValues: [(value: Data, what: String)] = [
        (Data([0]), "one NUL"),
        (Data([0xFF]), "one 0xFF"),
        (Data([0, 0, 0, 0]), "four NULs"),
        (Data([0x61, 0, 0x62]), "a NUL in the middle"),
        (Data([0xFF, 0x00, 0xFE]), "invalid UTF-8 with NUL"),
        (Data([0xC3]), "a cut UTF-8 letter"),
        (Data([0xED, 0xA0, 0x80]), "an encoded surrogate"),
        (Data(0...255), "all 256 byte values"),
        (Data((0...255).reversed()), "all 256 byte values backwards"),
        (Data("pw\n".utf8), "a newline at the end"),
        (Data("pw\r\n".utf8), "a carriage return and newline at the end"),
        (Data("\n".utf8), "a newline alone"),
        (Data(" pw ".utf8), "spaces around"),
        (Data("a\nb\n[1]\nsecret=x".utf8), "lines that look like a key file"),
        (Data("\u{FEFF}text".utf8), "a byte order mark"),
        (Data(decomposed.utf8), "a decomposed letter"),
        (Data("\\x00%00&#0;\\u0000".utf8), "text that looks escaped"),
    ]
}

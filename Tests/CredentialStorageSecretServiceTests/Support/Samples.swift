import Foundation

/// Values that one provider or another is known to change.
enum Samples {
    static let all: [(name: String, value: Data)] =
        texts.map { ($0, Data($1.utf8)) } + [
            ("invalid UTF-8", Data([0xFF, 0x00, 0xFE])),
            ("half a character", Data("caf".utf8) + [0xC3]),
            ("a surrogate", Data([0xED, 0xA0, 0x80])),
            ("all bytes", Data(0...255)),
            ("all bytes twice", Data(0...255) + Data((0...255).reversed())),
            ("NUL alone", Data([0])),
            ("NUL inside", Data("a\0b".utf8)),
            ("newline and invalid", Data([0x0A, 0xFF, 0x0A])),
            ("64 KiB of bytes", Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31) })),
            ("64 KiB of text", Data(repeating: UInt8(ascii: "x"), count: 65_536)),
            ("1 MiB of bytes", Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 8) })),
        ]

    private static let texts: [(String, String)] = [
        ("empty", ""), ("one letter", "x"), ("text", "correct horse battery staple"), ("UTF-8", "pässwörd 😀 \u{301}"),
        ("newline", "a\nb"), ("keyring file", "a\nb\n[1]\nsecret=x"), ("only a newline", "\n"), ("CRLF", "a\r\nb\r\n"),
        ("trailing newline", "pw\n"), ("leading blank", " pw"), ("trailing blank", "pw "), ("only blanks", "   "),
        ("leading tab", "\tpw"), ("backslashes", #"a\nb\\c\"#), ("escape", #"\n"#), ("comment", "#x"),
        ("group", "[keyring]"), ("pairs", "k=v;[1]"), ("quotes", #""'`"#), ("percent", "%41%0a"), ("DEL", "a\u{7F}b"),
        ("C1", "a\u{85}b"), ("byte order mark", "\u{FEFF}text"), ("line separator", "a\u{2028}b"),
        ("placeholder", "{USERNAME}"), ("reference", "{REF:P@T:x}"), ("placeholder inside", "x{title}y"),
        ("marker", "scs1:base64:"), ("marker and text", "scs1:base64:not base64!"),
        ("marker and base64", "scs1:base64:QUJD"),
        ("base64", "QUJDRA=="), ("escape code", "\u{1B}[31m"),
    ]
}

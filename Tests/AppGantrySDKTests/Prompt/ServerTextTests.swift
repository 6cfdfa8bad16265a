import Testing

@testable import AppGantrySDK

@Suite("update prompt: text of a server")
struct ServerTextTests {
    @Test(
        "sequences of every form go as a whole",
        arguments: [
            ("a\u{1B}[31mb", "ab"), ("a\u{1B}[38;2;1;2;3mb", "ab"), ("a\u{1B}[?25lb", "ab"), ("a\u{1B}[1 qb", "ab"),
            ("a\u{9B}31mb", "ab"), ("a\u{1B}]0;title\u{7}b", "ab"), ("a\u{1B}]8;;http://x\u{1B}\\b", "ab"),
            ("a\u{9D}0;t\u{9C}b", "ab"), ("a\u{1B}P1$r0m\u{1B}\\b", "ab"), ("a\u{90}q\u{9C}b", "ab"),
            ("a\u{1B}_Gi=1;AAAA\u{1B}\\b", "ab"), ("a\u{1B}^x\u{1B}\\b", "ab"), ("a\u{1B}Xx\u{1B}\\b", "ab"),
            ("a\u{1B}cb", "ab"), ("a\u{1B}(0b", "ab"), ("a\u{1B}#8b", "ab"), ("a\u{1B}7b\u{1B}8", "ab"),
            ("a\u{1B}%Gb", "ab"), ("a\u{1B}\u{1B}[mb", "ab"), ("a\u{1B}", "a"), ("a\u{1B}[", "a"),
            ("a\u{1B}[31", "a"), ("a\u{1B}]0;x\u{18}b", "ab"), ("a\u{1B}]0;x\u{1B}[mb", "ab"),
        ])
    func sequences(text: String, expected: String) {
        #expect(ServerText.line(text, limit: 100) == expected)
    }

    @Test("a string that nothing ends takes nothing else away")
    func openString() {
        #expect(ServerText.line("a\u{1B}]0;rest of it", limit: 100) == "a0;rest of it")
        #expect(ServerText.line("a\u{9D}0;rest", limit: 100) == "a0;rest")
    }

    @Test("however many strings are opened, the text is looked at once")
    func manyOpenings() {
        let text = String(repeating: "\u{9D}x", count: 100_000)
        let clock = ContinuousClock()
        var line = ""
        let time = clock.measure { line = ServerText.line(text, limit: 10) }
        #expect(line == "xxxxxxxxxx...")
        #expect(time < .seconds(20))
    }

    @Test("no control character is left but line breaks")
    func controls() {
        let all = (0...0xFF).compactMap(Unicode.Scalar.init).map(Character.init)
        for text in ServerText.paragraphs(String(all), limit: 1000) {
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
    }

    @Test(
        "what is not seen and changes the order or hides goes",
        arguments: [
            ("a\u{202E}b\u{202C}c", "abc"), ("\u{2067}a\u{2069}b", "ab"), ("\u{2066}a\u{2068}", "a"),
            ("a\u{200E}\u{200F}\u{061C}b", "ab"), ("a\u{200B}\u{2060}\u{FEFF}\u{AD}b", "ab"),
            ("a\u{200D}b\u{200C}c", "abc"), ("a\u{E0041}\u{E007F}b", "ab"), ("a\u{3164}\u{115F}b", "ab"),
            ("a\u{FFF9}b\u{FFFB}", "ab"), ("a\u{E0100}b", "ab"), ("a\u{FE0F}\u{FE0F}\u{FE0F}b", "a\u{FE0F}b"),
            ("a\u{FFFE}b", "a\u{FFFD}b"), ("\u{301}a", "a"),
        ])
    func invisible(text: String, expected: String) {
        #expect(ServerText.line(text, limit: 100).unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test(
        "text of every script stays as it is",
        arguments: [
            "Ünïcödé e\u{301}", "שלום עולם", "مرحبا بالعالم", "می\u{200C}خواهم", "日本語 한국어 中文", "क\u{94D}\u{200D}ष",
            "ภาษาไทย",
            "👨\u{200D}👩\u{200D}👧\u{200D}👦", "❤\u{FE0F}", "👍🏽", "🇩🇪", "1\u{FE0F}\u{20E3}", "בּ\u{5B7}\u{591}",
        ])
    func scripts(text: String) {
        #expect(ServerText.line(text, limit: 100).unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test("marks are not piled up without end")
    func marks() {
        let text = "a" + String(repeating: "\u{301}", count: 1000) + "b"
        #expect(ServerText.line(text, limit: 100).unicodeScalars.count == 8)
    }

    @Test("line breaks of every kind are line breaks")
    func lineBreaks() {
        let text = "a\nb\r\nc\rd\u{B}e\u{C}f\u{85}g\u{2028}h\u{2029}i"
        #expect(ServerText.paragraphs(text, limit: 100) == ["a", "b", "c", "d", "e", "f", "g", "h", "i"])
        #expect(ServerText.line(text, limit: 100) == "a b c d e f g h i")
    }

    @Test("a text that is too long ends where the limit is, between characters")
    func limit() {
        #expect(ServerText.line("e\u{301}e\u{301}e\u{301}", limit: 2) == "e\u{301}e\u{301}...")
        #expect(ServerText.line("abc", limit: 3) == "abc")
    }
}

@Suite("update prompt: rows")
struct TextWrappingTests {
    @Test(
        "a character is counted as the cells that it takes",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 4), ("ｱ", 1),
            ("Ａ", 2),
            ("😀", 2), ("👨\u{200D}👩\u{200D}👧", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("ש", 1), ("　", 2),
            ("\u{20000}", 2), ("─", 1),
        ])
    func width(text: String, cells: Int) {
        #expect(CharacterWidth.of(text) == cells)
    }

    @Test(
        "rows break at spaces, beside wide characters, and inside what is too long",
        arguments: [
            ("", 10, [""]), ("one two three", 8, ["one two", "three"]), ("one two", 7, ["one two"]),
            ("abcdefghij", 4, ["abcd", "efgh", "ij"]), ("a abcdefgh", 4, ["a", "abcd", "efgh"]),
            ("日本語日本語", 5, ["日本", "語日", "本語"]), ("ab日本", 4, ["ab日", "本"]), ("日", 1, ["?"]),
            ("    code", 20, ["    code"]), ("          x", 5, ["", "x"]), ("a    b", 3, ["a", "b"]),
            ("שלום עולם", 5, ["שלום", "עולם"]), ("e\u{301}e\u{301}e\u{301}", 2, ["e\u{301}e\u{301}", "e\u{301}"]),
        ])
    func rows(line: String, width: Int, expected: [String]) {
        #expect(TextWrapping.rows(of: line, width: width) == expected)
    }

    @Test("no row is wider than asked, and no character is lost", arguments: 2...40)
    func bounds(width: Int) {
        let line = "Ünïcödé 日本語 و مرحبا 👨\u{200D}👩\u{200D}👧 abcdefghijklmnopqrstuvwxyz ❤\u{FE0F} 🇩🇪 ok"
        let rows = TextWrapping.rows(of: line, width: width)
        for row in rows { #expect(CharacterWidth.of(row) <= width) }
        #expect(rows.joined().filter { $0 != " " } == line.filter { $0 != " " })
    }

    @Test(
        "a document fits every width, and text of ours stands before text of the server",
        arguments: [2, 9, 24, 80, 300])
    func document(columns: Int) {
        let content = UpdatePromptContent(
            appName: "日本語アプリ", versionName: "גרסה 2", buildNumber: 7, releaseNotes: "- one two three\n\n\n- 日本語",
            iconData: nil)
        let rows = PromptDocument(content, columns: columns).rows
        for row in rows { #expect(CharacterWidth.of(row.text) <= columns) }
        if columns == 80 {
            #expect(
                rows.map(\.text) == [
                    "An update is available", "日本語アプリ", "Version גרסה 2", "Build 7", "", "What is new",
                    "  - one two three", "", "  - 日本語",
                ])
        }
    }

    @Test("the whole prompt fits every terminal", arguments: [1, 2, 3, 5, 8, 24], [1, 2, 7, 16, 21, 22, 80])
    func screen(rows: Int, columns: Int) throws {
        let content = UpdatePromptContent(
            appName: "Example", versionName: "2", releaseNotes: String(repeating: "word ", count: 300))
        for isMandatory in [true, false] {
            var machine = PromptMachine(isMandatory: isMandatory)
            let screen = PromptScreen(content: content, isAddressable: true, icon: nil)
            let size = TerminalSize(columns: columns, rows: rows)
            let text = String(decoding: screen.draw(&machine, on: size), as: UTF8.self)
            let lines = text.split(separator: "\u{1B}[2K").dropFirst()
            #expect(lines.count <= rows)
            for line in lines {
                #expect(CharacterWidth.of(ServerText.line(String(line), limit: 1000)) <= max(columns, 11))
            }
            #expect(text.contains("Install"))
        }
    }
}

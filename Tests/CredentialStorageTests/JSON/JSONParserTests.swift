import CredentialStorage
import Testing

@Suite("Reading JSON")
struct JSONParserTests {
    @Test(
        "what is valid is read, and written back compactly",
        arguments: [
            ("null", "null"), (" true ", "true"), ("false\n", "false"), ("\t0\r", "0"), ("-0", "-0"),
            ("-12.50e+10", "-12.50e+10"), ("1E-2", "1E-2"), ("123456789012345678901234567890", nil),
            ("\"\"", "\"\""), ("[]", "[]"), ("[ ]", "[]"), ("{ }", "{}"), ("[1, [2], {\"a\":3}]", "[1,[2],{\"a\":3}]"),
            (#""\"\\\/\b\f\n\r\t""#, #""\"\\/\b\f\n\r\t""#), (#""\u0041\u00e9\u20AC""#, "\"Aé€\""),
            (#""\ud83d\ude00""#, "\"😀\""), (#""\uDBFF\uDFFF""#, "\"\u{10FFFF}\""), (#""\u0000""#, #""\u0000""#),
            (#"{"b":1,"a":2,"b":3}"#, #"{"b":1,"a":2,"b":3}"#), ("\"\u{FEFF}\"", "\"\u{FEFF}\""),
        ] as [(String, String?)])
    func readsWhatIsValid(_ text: String, _ compact: String?) throws {
        var writer = JSONWriter()
        writer.value(try JSONValue(parsing: text))
        #expect(writer.bytes == Array((compact ?? text).utf8))
    }

    @Test(
        "what is not valid is refused, with the reason",
        arguments: [
            ("", .unexpectedEnd), (" ", .unexpectedEnd), ("[", .unexpectedEnd), ("[1,", .unexpectedEnd),
            ("{\"a\"", .unexpectedEnd), ("\"a", .unexpectedEnd), ("\"\\", .unexpectedEnd), ("tru", .unexpectedEnd),
            ("-", .unexpectedEnd), ("1.", .unexpectedEnd), ("1e+", .unexpectedEnd), ("\"\\u12", .unexpectedEnd),
            ("[1,]", .unexpectedByte), ("{\"a\":1,}", .unexpectedByte), ("{a:1}", .unexpectedByte),
            ("{\"a\" 1}", .unexpectedByte), ("[1 2]", .unexpectedByte), ("'a'", .unexpectedByte),
            ("NaN", .unexpectedByte), ("Infinity", .unexpectedByte), ("+1", .unexpectedByte), (".5", .unexpectedByte),
            ("truE", .unexpectedByte), ("\u{FEFF}1", .unexpectedByte), ("\u{A0}1", .unexpectedByte),
            ("// a\n1", .unexpectedByte), ("\"\n\"", .unexpectedByte), ("\"\u{0}\"", .unexpectedByte),
            ("-a", .invalidNumber), ("1.e1", .invalidNumber), ("1ea", .invalidNumber),
            ("1 2", .trailingBytes), ("01", .trailingBytes), ("-01", .trailingBytes), ("{}}", .trailingBytes),
            ("1\u{0}", .trailingBytes), ("0x1", .trailingBytes),
            (#""\x41""#, .invalidEscape), (#""\u00g0""#, .invalidEscape), (#""\U0041""#, .invalidEscape),
            (#""\ud800""#, .loneSurrogate), (#""\udc00""#, .loneSurrogate), (#""\ud800\u0041""#, .loneSurrogate),
            (#""\ud800\ud800""#, .loneSurrogate), (#""\udc00\ud800""#, .loneSurrogate), (#""\ud800x""#, .loneSurrogate),
            (#""\udc00\udc00""#, .loneSurrogate),
        ] as [(String, JSONError.Reason)])
    func refusesWhatIsNotValid(_ text: String, _ reason: JSONError.Reason) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.reason == reason)
    }

    @Test(
        "bytes that are not UTF-8 are refused, never repaired",
        arguments: [
            [0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80], [0xE2, 0x82],
        ] as [[UInt8]])
    func refusesInvalidUTF8(_ bytes: [UInt8]) {
        let text = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text.span) }
        #expect(error?.reason == .invalidUTF8)
        let object = [UInt8(ascii: "{")] + text + Array(":1}".utf8)
        #expect(throws: JSONError.self) { try JSONValue(parsing: object.span) }
    }

    @Test("control characters inside text are refused unless they are escaped")
    func refusesRawControlCharacters() {
        for byte in UInt8(0)..<0x20 {
            let text = [UInt8(ascii: "\""), byte, UInt8(ascii: "\"")]
            #expect(throws: JSONError(reason: .unexpectedByte, offset: 1)) { try JSONValue(parsing: text.span) }
        }
    }

    @Test("depth, length and number of values are bounded")
    func isBounded() throws {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try JSONValue(parsing: deep).array?.count == 1)
        let tooDeep = "[" + deep + "]"
        #expect(throws: JSONError(reason: .tooDeep, offset: 64)) { try JSONValue(parsing: tooDeep) }
        let bomb = String(repeating: "{\"a\":", count: 500_000)
        #expect(throws: JSONError.self) { try JSONValue(parsing: bomb) }
        let limits = JSONLimits(bytes: 8, depth: 2, values: 3)
        #expect(try JSONValue(parsing: "[1,2]", limits: limits).array?.count == 2)
        #expect(throws: JSONError(reason: .tooLarge, offset: 0)) { try JSONValue(parsing: "        1", limits: limits) }
        let many = #expect(throws: JSONError.self) { try JSONValue(parsing: "[1,2,3]", limits: limits) }
        #expect(many?.reason == .tooManyValues)
    }

    @Test("both accented forms of a name, and names that stand twice, are all kept in their order")
    func keepsEveryName() throws {
        let value = try JSONValue(parsing: "{\"e\u{301}\":1,\"\u{E9}\":2,\"x\":3,\"x\":4}")
        let members = try #require(value.object)
        #expect(members.map { Array($0.name.utf8) } == [[0x65, 0xCC, 0x81], [0xC3, 0xA9], [0x78], [0x78]])
        #expect(value["\u{E9}"]?.number == "2")
        #expect(value["e\u{301}"]?.number == "1")
        #expect(value["x"] == nil)
        #expect(value["y"] == nil)
    }

    @Test("values that look alike and differ in bytes are not equal")
    func comparesBytes() {
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(JSONMember("\u{E9}", .null) != JSONMember("e\u{301}", .null))
        #expect(JSONValue.number("1") != .number("1.0"))
        #expect(JSONValue.array([.bool(true), .null]) == .array([.bool(true), .null]))
    }

    private static let sample = #"{"v":1,"t":"a\u00e9\ud83d\ude00é","n":[-1.5e3,true,false,null,{}],"m":{"":""}}"#

    @Test("no beginning of a document is a document")
    func refusesEveryCut() {
        let bytes = Array(Self.sample.utf8)
        for end in 0..<bytes.count {
            let cut = Array(bytes[..<end])
            #expect(throws: JSONError.self) { try JSONValue(parsing: cut.span) }
        }
    }

    @Test("with any one byte changed it is refused, or what is read is written back as the same value")
    func survivesEveryChangedByte() throws {
        let bytes = Array(Self.sample.utf8)
        for index in bytes.indices {
            for replacement in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = replacement
                guard let value = try? JSONValue(parsing: changed.span) else { continue }
                var writer = JSONWriter()
                writer.value(value)
                let again = try JSONValue(parsing: writer.bytes.span)
                if again != value { Issue.record("byte \(index) changed to \(replacement)") }
            }
        }
    }

    @Test("an error and a value print nothing of what was read")
    func printsNothing() throws {
        let canary = "canary-5d0f"
        let value = try JSONValue(parsing: "{\"\(canary)\":[\"\(canary)\"]}")
        var texts = ["\(value)", String(reflecting: value), "\(value.object?.first as Any)"]
        var dumped = ""
        dump(value, to: &dumped)
        dump(value.object?.first, to: &dumped)
        var writer = JSONWriter()
        writer.value(value)
        dump(writer, to: &dumped)
        texts += [dumped, "\(writer)"]
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: "\"\(canary)\" 1") }
        texts.append("\(error as Any)")
        #expect(!texts.contains { $0.contains(canary) })
    }
}

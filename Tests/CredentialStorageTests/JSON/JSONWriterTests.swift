import CredentialStorage
import FoundationEssentials
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test("members and values get their commas by themselves")
    func writesStructure() {
        var writer = JSONWriter()
        writer.object { object in
            object.member("entries") { entries in
                entries.object {
                    $0.member("a", base64: Data([1, 2, 3]))
                    $0.member("b", base64: Data())
                }
            }
            object.member("omitted") { omitted in
                omitted.array { array in
                    for name in ["x", nil] {
                        array.object { $0.member("name", name) }
                    }
                }
            }
            object.member("empty") { $0.array { _ in } }
            object.member("lost", 0)
            object.member("negative", Int64.min)
            object.member("ok", true)
            object.member("raw", JSONValue.number("1.50"))
            object.member("list") { list in
                list.array {
                    $0.null()
                    $0.bool(false)
                    $0.number(UInt64.max)
                    $0.string("s")
                }
            }
        }
        let expected =
            #"{"entries":{"a":"AQID","b":""},"omitted":[{"name":"x"},{"name":null}],"empty":[],"lost":0,"#
            + #""negative":-9223372036854775808,"ok":true,"raw":1.50,"list":[null,false,18446744073709551615,"s"]}"#
        #expect(writer.bytes == Array(expected.utf8))
        #expect(writer.data == Data(expected.utf8))
    }

    @Test("a document can be taken in pieces")
    func writesInPieces() {
        var writer = JSONWriter()
        var pieces: [UInt8] = []
        writer.array { array in
            for number in 0..<3 {
                array.number(number)
                pieces += array.take()
            }
        }
        pieces += writer.take()
        #expect(pieces == Array("[0,1,2]".utf8))
        #expect(writer.bytes.isEmpty)
    }

    @Test("control characters are escaped, the rest of UTF-8 stands as it is")
    func escapesControlCharacters() throws {
        var all = ""
        for number in UInt32(0)...0x2FF { all.unicodeScalars.append(try #require(Unicode.Scalar(number))) }
        all += "\u{2028}😀e\u{301}\u{C2}\u{80}"
        var writer = JSONWriter()
        writer.string(all)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        for scalar in text.unicodeScalars { #expect(scalar.properties.generalCategory != .control) }
        #expect(try JSONValue(parsing: writer.bytes.span) == .string(all))
        #expect(text.hasPrefix(#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e"#))
        #expect(text.contains(#"~\u007f\u0080\u0081"#))
        #expect(text.contains("\u{2FF}\u{2028}😀e\u{301}"))
    }

    @Test("base64 is what everybody else writes", arguments: 0...66)
    func encodesBase64(_ length: Int) {
        for _ in 0..<20 {
            let data = Data((0..<length).map { _ in UInt8.random(in: 0...255) })
            var bytes: [UInt8] = [UInt8(ascii: "<")]
            bytes.appendBase64(of: data.span)
            #expect(String(decoding: bytes, as: UTF8.self) == "<" + data.base64EncodedString())
        }
    }

    @Test("random values are read back as they were")
    func readsBackWhatItWrote() throws {
        for _ in 0..<500 {
            let value = Self.random(depth: 0)
            var writer = JSONWriter()
            writer.value(value)
            #expect(try JSONValue(parsing: writer.bytes.span) == value)
        }
    }

    private static func random(depth: Int) -> JSONValue {
        switch Int.random(in: 0...(depth < 5 ? 5 : 3)) {
        case 0: return .null
        case 1: return .bool(.random())
        case 2: return .number(String(Int.random(in: -1000...1000)))
        case 3: return .string(randomText())
        case 4: return .array((0..<Int.random(in: 0...4)).map { _ in random(depth: depth + 1) })
        default:
            return .object(
                (0..<Int.random(in: 0...4)).map { _ in JSONMember(randomText(), random(depth: depth + 1)) })
        }
    }

    private static func randomText() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...8) {
            let limit: UInt32 = [0x7F, 0xFF, 0x10FFFF].randomElement() ?? 0x7F
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit)) { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}

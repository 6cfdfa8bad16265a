package import FoundationEssentials

/// Writes compact JSON, the same bytes for the same calls.
///
/// Commas come by themselves. UTF-8 stands as it is, except for control characters (C0, DEL and C1), which are
/// escaped so that no output can steer a terminal.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { object in
///     object.member("entries") { entries in
///         entries.object { for entry in all { $0.member(entry.key, base64: entry.value) } }
///     }
///     object.member("lost", 0)
/// }
/// let data = writer.data
/// ```
package struct JSONWriter: Sendable {
    /// What was written and not yet taken.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// What was written and not yet taken.
    package var data: Data { Data(bytes) }

    /// Hands over what was written so far, so that a long document can go out in pieces.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: false) }
        return bytes
    }

    /// An object; the body appends members.
    package mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        open(UInt8(ascii: "{"))
        try body(&self)
        close(UInt8(ascii: "}"))
    }

    /// An array; the body appends values.
    package mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        open(UInt8(ascii: "["))
        try body(&self)
        close(UInt8(ascii: "]"))
    }

    /// A member whose value the body appends, as exactly one value.
    package mutating func member<E: Error>(
        _ name: String,
        _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
        try body(&self)
        needsComma = true
    }

    /// A member with text, or with `null`.
    package mutating func member(_ name: String, _ text: String?) {
        member(name) { writer in
            if let text { writer.string(text) } else { writer.null() }
        }
    }

    /// A member with a whole number.
    package mutating func member(_ name: String, _ number: some BinaryInteger) {
        member(name) { $0.number(number) }
    }

    /// A member with a truth value.
    package mutating func member(_ name: String, _ truth: Bool) { member(name) { $0.bool(truth) } }

    /// A member with a value that was read or built elsewhere.
    package mutating func member(_ name: String, _ value: JSONValue) { member(name) { $0.value(value) } }

    /// A member with bytes in base64.
    package mutating func member(_ name: String, base64 data: Data) { member(name) { $0.base64(data.span) } }

    /// `null`.
    package mutating func null() { plain("null") }

    /// A truth value.
    package mutating func bool(_ truth: Bool) { plain(truth ? "true" : "false") }

    /// A whole number.
    package mutating func number(_ number: some BinaryInteger) { plain(String(number)) }

    /// A number that is already valid JSON.
    package mutating func number(text: String) { plain(text) }

    /// Text.
    package mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var afterC2 = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x08: bytes.append(contentsOf: "\\b".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0C: bytes.append(contentsOf: "\\f".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0..<0x20, 0x7F: escape(byte)
            case 0x80..<0xA0 where afterC2:
                // A C1 control character is C2 and this byte; the C2 is already there.
                bytes.removeLast()
                escape(byte)
            default: bytes.append(byte)
            }
            afterC2 = byte == 0xC2
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Bytes as text in base64, with padding.
    package mutating func base64(_ data: Span<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.appendBase64(of: data)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A value that was read or built elsewhere, with its members in their order.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let truth): bool(truth)
        case .number(let text): number(text: text)
        case .string(let text): string(text)
        case .array(let elements): array { for element in elements { $0.value(element) } }
        case .object(let members): object { for member in members { $0.member(member.name, member.value) } }
        }
    }

    private mutating func plain(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func escape(_ byte: UInt8) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(contentsOf: [digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }
}

extension JSONWriter: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "JSONWriter(\(bytes.count) bytes)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

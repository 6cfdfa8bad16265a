/// Why bytes are not the JSON that was expected.
///
/// It says where, and nothing of what stands there.
package struct JSONError: Error, Sendable, Equatable {
    package enum Reason: String, Sendable {
        case tooLarge
        case tooDeep
        case tooManyValues
        case unexpectedEnd
        case unexpectedByte
        case invalidNumber
        case invalidEscape
        case loneSurrogate
        case invalidUTF8
        case trailingBytes
    }

    package let reason: Reason
    /// The byte at which reading stopped.
    package let offset: Int

    package init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

/// What a parser accepts at most, so that hostile bytes cost bounded time, memory and stack.
package struct JSONLimits: Sendable {
    package var bytes: Int
    package var depth: Int
    package var values: Int

    package init(bytes: Int = 4 << 20, depth: Int = 64, values: Int = 1 << 20) {
        self.bytes = bytes
        self.depth = depth
        self.values = values
    }
}

extension JSONValue {
    /// Reads exactly one value with nothing but white space around it, strictly as RFC 8259 has it.
    package init(parsing bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        var parser = JSONParser(limits: limits)
        self = try parser.document(bytes)
    }

    /// Reads exactly one value with nothing but white space around it, strictly as RFC 8259 has it.
    package init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(parsing: Array(text.utf8).span, limits: limits)
    }
}

/// A strict parser.
///
/// The bytes are an argument of each step because a span cannot be stored.
private struct JSONParser {
    private let limits: JSONLimits
    private var position = 0
    private var values = 0

    init(limits: JSONLimits) { self.limits = limits }

    mutating func document(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.bytes else { throw error(.tooLarge) }
        let value = try value(bytes, depth: 0)
        skipSpace(bytes)
        guard position == bytes.count else { throw error(.trailingBytes) }
        return value
    }

    private func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: position) }

    private func peek(_ bytes: Span<UInt8>) -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func next(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
        guard let byte = peek(bytes) else { throw error(.unexpectedEnd) }
        position += 1
        return byte
    }

    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while let byte = peek(bytes), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func take(_ wanted: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard peek(bytes) == wanted else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ wanted: UInt8, _ bytes: Span<UInt8>) throws(JSONError) {
        guard let byte = peek(bytes) else { throw error(.unexpectedEnd) }
        guard byte == wanted else { throw error(.unexpectedByte) }
        position += 1
    }

    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONValue {
        values += 1
        guard values <= limits.values else { throw error(.tooManyValues) }
        skipSpace(bytes)
        guard let byte = peek(bytes) else { throw error(.unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "{"): return .object(try members(bytes, depth: depth + 1))
        case UInt8(ascii: "["): return .array(try elements(bytes, depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string(bytes))
        case UInt8(ascii: "t"): return try literal("true", .bool(true), bytes)
        case UInt8(ascii: "f"): return try literal("false", .bool(false), bytes)
        case UInt8(ascii: "n"): return try literal("null", .null, bytes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number(bytes))
        default: throw error(.unexpectedByte)
        }
    }

    private mutating func literal(
        _ text: StaticString,
        _ value: JSONValue,
        _ bytes: Span<UInt8>
    ) throws(JSONError) -> JSONValue {
        for wanted in text.description.utf8 { try expect(wanted, bytes) }
        return value
    }

    private mutating func members(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [JSONMember] {
        guard depth <= limits.depth else { throw error(.tooDeep) }
        position += 1
        skipSpace(bytes)
        var members: [JSONMember] = []
        if take(UInt8(ascii: "}"), bytes) { return members }
        while true {
            skipSpace(bytes)
            guard let byte = peek(bytes) else { throw error(.unexpectedEnd) }
            guard byte == UInt8(ascii: "\"") else { throw error(.unexpectedByte) }
            let name = try string(bytes)
            skipSpace(bytes)
            try expect(UInt8(ascii: ":"), bytes)
            members.append(JSONMember(name, try value(bytes, depth: depth)))
            skipSpace(bytes)
            if take(UInt8(ascii: "}"), bytes) { return members }
            try expect(UInt8(ascii: ","), bytes)
        }
    }

    private mutating func elements(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= limits.depth else { throw error(.tooDeep) }
        position += 1
        skipSpace(bytes)
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]"), bytes) { return elements }
        while true {
            elements.append(try value(bytes, depth: depth))
            skipSpace(bytes)
            if take(UInt8(ascii: "]"), bytes) { return elements }
            try expect(UInt8(ascii: ","), bytes)
        }
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = position
        _ = take(UInt8(ascii: "-"), bytes)
        // No digit may follow a leading zero; whatever follows is then refused as an unexpected byte.
        if !take(UInt8(ascii: "0"), bytes) { try digits(bytes) }
        if take(UInt8(ascii: "."), bytes) { try digits(bytes) }
        if take(UInt8(ascii: "e"), bytes) || take(UInt8(ascii: "E"), bytes) {
            if !take(UInt8(ascii: "+"), bytes) { _ = take(UInt8(ascii: "-"), bytes) }
            try digits(bytes)
        }
        return try text(bytes, start..<position)
    }

    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        while let byte = peek(bytes), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        guard position > start else { throw error(peek(bytes) == nil ? .unexpectedEnd : .invalidNumber) }
    }

    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            throw JSONError(reason: .invalidUTF8, offset: range.lowerBound)
        }
    }

    private mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        position += 1
        var result = ""
        var start = position
        while true {
            guard let byte = peek(bytes) else { throw error(.unexpectedEnd) }
            switch byte {
            case UInt8(ascii: "\""):
                let rest = try text(bytes, start..<position)
                position += 1
                return result.isEmpty ? rest : result + rest
            case UInt8(ascii: "\\"):
                result += try text(bytes, start..<position)
                position += 1
                result.unicodeScalars.append(try escape(bytes))
                start = position
            case 0..<0x20:
                throw error(.unexpectedByte)
            default:
                position += 1
            }
        }
    }

    private mutating func escape(_ bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
        switch try next(bytes) {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try hexadecimal(bytes)
            if let scalar = Unicode.Scalar(first) { return scalar }
            // Only surrogates are not scalars; a high one must be followed by a low one.
            guard first < 0xDC00, take(UInt8(ascii: "\\"), bytes), take(UInt8(ascii: "u"), bytes) else {
                throw error(.loneSurrogate)
            }
            let second = try hexadecimal(bytes)
            guard (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
            else { throw error(.loneSurrogate) }
            return scalar
        default: throw error(.invalidEscape)
        }
    }

    private mutating func hexadecimal(_ bytes: Span<UInt8>) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch try next(bytes) {
            case let byte where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"): digit = byte - 0x30
            case let byte where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"): digit = byte - 0x61 + 10
            case let byte where byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F"): digit = byte - 0x41 + 10
            default: throw error(.invalidEscape)
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}

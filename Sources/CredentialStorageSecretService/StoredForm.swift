#if SecretService
    internal import CredentialStorage

    /// The form in which a value is given to a provider, so that it comes back as it was.
    ///
    /// Text without anything that a provider might change is stored as it is, and other programs show it. Everything
    /// else is stored as base64 behind a marker: control characters, of which one line break makes a keyring without
    /// password unreadable; backslashes; blanks at the ends; bytes that are not UTF-8; a brace before a letter, as in
    /// `{TITLE}`, in whose place KeePassXC answers something else; and the empty value, which a locked or interrupted
    /// provider answers for values that it cannot show.
    enum StoredForm {
        static let marker: StaticString = "scs1:base64:"

        /// What is stored for a value.
        static func encode(_ value: Span<UInt8>) -> SecureBuffer {
            guard !isSafe(value) else { return SecureBuffer(copying: value) }
            let prefix = markerLength
            var buffer = SecureBuffer(count: prefix + (value.count + 2) / 3 * 4)
            buffer.withMutableBytes { target in
                for index in 0..<prefix { target[index] = markerByte(index) }
                Base64Text.encode(value, into: &target, at: prefix)
            }
            return buffer
        }

        /// The value that is stored as these bytes.
        ///
        /// Bytes that somebody else wrote are the value themselves, also where they begin with the marker and do not
        /// decode.
        static func decode(_ stored: SharedSecret) -> SharedSecret {
            stored.bytes.withBytes { bytes in
                guard hasMarker(bytes), let value = Base64Text.decode(bytes.extracting(markerLength..<bytes.count))
                else { return stored }
                return SharedSecret(value)
            }
        }

        /// Whether every provider keeps these bytes as they are.
        static func isSafe(_ value: Span<UInt8>) -> Bool {
            guard value.count > 0, !hasMarker(value) else { return false }
            guard value[0] != blank, value[value.count - 1] != blank else { return false }
            for index in value.indices {
                let byte = value[index]
                if byte < blank || byte == 0x7F || byte == UInt8(ascii: "\\") { return false }
                if byte == UInt8(ascii: "{"), index + 1 < value.count, isLetter(value[index + 1]) { return false }
                // C1 control characters are C2 80 to C2 9F.
                if byte == 0xC2, index + 1 < value.count, value[index + 1] < 0xA0 { return false }
                if byte == 0xEF, index + 2 < value.count, isOften(lost: value[index + 1], value[index + 2]) {
                    return false
                }
            }
            return UTF8Check.isValid(value)
        }

        private static func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }

        /// The byte order mark, which is taken for no part of a text, and two numbers that no file in XML may hold.
        private static func isOften(lost second: UInt8, _ third: UInt8) -> Bool {
            (second == 0xBB && third == 0xBF) || (second == 0xBF && third >= 0xBE)
        }

        /// The text that stands for a text: itself, or the marker and base64.
        static func encode(_ text: String) -> String {
            let bytes = Array(text.utf8)
            if isSafe(bytes.span) { return text }
            return encode(bytes.span).withBytes { encoded in
                String(decoding: encoded.indices.map { encoded[$0] }, as: UTF8.self)
            }
        }

        /// The bytes of the text that this text stands for.
        static func decode(_ text: String) -> [UInt8] {
            let bytes = Array(text.utf8)
            let secret = SharedSecret(SecureBuffer(copying: bytes.span))
            return decode(secret).bytes.withBytes { decoded in decoded.indices.map { decoded[$0] } }
        }

        private static let blank = UInt8(ascii: " ")
        private static var markerLength: Int { marker.utf8CodeUnitCount }
        private static func markerByte(_ index: Int) -> UInt8 { unsafe marker.utf8Start[index] }

        private static func hasMarker(_ bytes: Span<UInt8>) -> Bool {
            guard bytes.count >= markerLength else { return false }
            for index in 0..<markerLength where bytes[index] != markerByte(index) { return false }
            return true
        }
    }

    /// Whether bytes are UTF-8, told without a copy of them.
    enum UTF8Check {
        static func isValid(_ bytes: Span<UInt8>) -> Bool {
            unsafe bytes.withUnsafeBufferPointer { buffer in
                (try? unsafe UTF8Span(validating: buffer.span)) != nil
            }
        }
    }
#endif

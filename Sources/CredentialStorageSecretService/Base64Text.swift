#if SecretService
    internal import CredentialStorage

    /// Base64 from locked memory into locked memory.
    enum Base64Text {
        /// Writes the text of bytes at a place; there must be room for it.
        static func encode(_ bytes: Span<UInt8>, into target: inout MutableSpan<UInt8>, at start: Int) {
            var place = start
            var index = 0
            while index < bytes.count {
                let rest = bytes.count - index
                let group =
                    UInt32(bytes[index]) << 16 | (rest > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
                    | (rest > 2 ? UInt32(bytes[index + 2]) : 0)
                target[place] = digit(group >> 18)
                target[place + 1] = digit(group >> 12)
                target[place + 2] = rest > 1 ? digit(group >> 6) : padding
                target[place + 3] = rest > 2 ? digit(group) : padding
                index += 3
                place += 4
            }
        }

        /// The bytes of a text in its one canonical form; `nil` for any other text.
        static func decode(_ text: Span<UInt8>) -> SecureBuffer? {
            guard text.count % 4 == 0 else { return nil }
            guard text.count > 0 else { return SecureBuffer(count: 0) }
            let paddings = (text[text.count - 1] == padding ? 1 : 0) + (text[text.count - 2] == padding ? 1 : 0)
            var buffer = SecureBuffer(count: text.count / 4 * 3 - paddings)
            let isSound = buffer.withMutableBytes { target -> Bool in
                var place = 0
                for start in stride(from: 0, to: text.count, by: 4) {
                    let isLast = start + 4 == text.count
                    let used = isLast ? 4 - paddings : 4
                    var group: UInt32 = 0
                    for offset in 0..<4 {
                        guard offset < used else {
                            if text[start + offset] != padding { return false }
                            group <<= 6
                            continue
                        }
                        guard let value = value(text[start + offset]) else { return false }
                        group = group << 6 | value
                    }
                    // Bits that no byte uses must be zero, or two texts would mean one value.
                    if used == 3, group & 0xFF != 0 { return false }
                    if used == 2, group & 0xFFFF != 0 { return false }
                    for shift in [16, 8, 0].prefix(used - 1) {
                        target[place] = UInt8(truncatingIfNeeded: group >> UInt32(shift))
                        place += 1
                    }
                }
                return true
            }
            guard isSound else { return nil }
            return buffer
        }

        private static let padding = UInt8(ascii: "=")

        private static func digit(_ bits: UInt32) -> UInt8 {
            let index = UInt8(truncatingIfNeeded: bits & 63)
            return switch index {
            case 0..<26: UInt8(ascii: "A") + index
            case 26..<52: UInt8(ascii: "a") + (index - 26)
            case 52..<62: UInt8(ascii: "0") + (index - 52)
            case 62: UInt8(ascii: "+")
            default: UInt8(ascii: "/")
            }
        }

        private static func value(_ digit: UInt8) -> UInt32? {
            switch digit {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
            case UInt8(ascii: "+"): 62
            case UInt8(ascii: "/"): 63
            default: nil
            }
        }
    }
#endif

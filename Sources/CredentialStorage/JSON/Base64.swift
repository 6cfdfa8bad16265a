extension [UInt8] {
    /// Appends the base64 form of bytes, with padding and without line breaks, straight from where they are.
    package mutating func appendBase64(of data: Span<UInt8>) {
        reserveCapacity(count + (data.count + 2) / 3 * 4)
        var index = 0
        while index + 2 < data.count {
            let group = UInt32(data[index]) << 16 | UInt32(data[index + 1]) << 8 | UInt32(data[index + 2])
            append(base64Digit(group >> 18))
            append(base64Digit(group >> 12))
            append(base64Digit(group >> 6))
            append(base64Digit(group))
            index += 3
        }
        let rest = data.count - index
        guard rest > 0 else { return }
        let group = UInt32(data[index]) << 16 | (rest == 2 ? UInt32(data[index + 1]) << 8 : 0)
        append(base64Digit(group >> 18))
        append(base64Digit(group >> 12))
        append(rest == 2 ? base64Digit(group >> 6) : UInt8(ascii: "="))
        append(UInt8(ascii: "="))
    }
}

/// The digit of the lowest six bits, found without a table that a cache could remember.
private func base64Digit(_ bits: UInt32) -> UInt8 {
    let index = UInt8(truncatingIfNeeded: bits & 63)
    return switch index {
    case 0..<26: UInt8(ascii: "A") + index
    case 26..<52: UInt8(ascii: "a") + (index - 26)
    case 52..<62: UInt8(ascii: "0") + (index - 52)
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
}

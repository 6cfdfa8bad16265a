/// A decimal number with as many digits as it needs, for sums that `Double` would round.
///
/// It does the one thing that dates need: move an exact decimal between two epochs.
struct DecimalNumber {
    /// Numbers with more digits than this, or with an exponent beyond it, are refused.
    ///
    /// The longest that a `Double` needs has 309 digits before the point, or 324 after it.
    static let maximumDigits = 2048

    private var isNegative: Bool
    /// The digits without a point, the highest first.
    private var digits: [UInt8]
    /// How many of the digits stand after the point.
    private var scale: Int

    init(_ whole: Int64) {
        isNegative = whole < 0
        digits = String(whole.magnitude).utf8.map { $0 - UInt8(ascii: "0") }
        scale = 0
    }

    /// Reads a number in the form that JSON has and that `Double` prints.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        let mantissa = rest.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
        guard mantissa.count <= Self.maximumDigits else { return nil }
        var exponent = 0
        if mantissa.count < rest.count {
            let exponentText = String(decoding: rest.dropFirst(mantissa.count + 1), as: UTF8.self)
            guard let number = Int(exponentText), abs(number) <= Self.maximumDigits else { return nil }
            exponent = number
        }
        let parts = mantissa.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : []
        digits = []
        for byte in parts[0] + fraction {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            digits.append(byte - UInt8(ascii: "0"))
        }
        guard !parts[0].isEmpty, parts.count == 1 || !fraction.isEmpty else { return nil }
        scale = fraction.count - exponent
        if scale < 0 {
            digits.append(contentsOf: repeatElement(0, count: -scale))
            scale = 0
        }
        // At least one digit stands before the point.
        if scale >= digits.count {
            digits.insert(contentsOf: repeatElement(0, count: scale + 1 - digits.count), at: 0)
        }
    }

    /// The number without an exponent and without needless zeros.
    var text: String {
        var whole = digits.dropLast(scale).drop { $0 == 0 }
        if whole.isEmpty { whole = [0] }
        var fraction = digits.suffix(scale)
        while fraction.last == 0 { fraction.removeLast() }
        let isZero = whole == [0] && fraction.isEmpty
        var text = isNegative && !isZero ? "-" : ""
        for digit in whole { text.append(Character(Unicode.Scalar(digit + UInt8(ascii: "0")))) }
        if !fraction.isEmpty { text.append(".") }
        for digit in fraction { text.append(Character(Unicode.Scalar(digit + UInt8(ascii: "0")))) }
        return text
    }

    static prefix func - (number: DecimalNumber) -> DecimalNumber {
        var result = number
        result.isNegative.toggle()
        return result
    }

    static func + (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
        var (left, right) = (left, right)
        align(&left, &right)
        if left.isNegative == right.isNegative {
            left.digits = sum(left.digits, right.digits)
            return left
        }
        if left.digits.lexicographicallyPrecedes(right.digits) { swap(&left, &right) }
        left.digits = difference(left.digits, right.digits)
        return left
    }

    static func - (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber { left + -right }

    /// Gives both the same number of digits before and after the point.
    private static func align(_ left: inout DecimalNumber, _ right: inout DecimalNumber) {
        let scale = max(left.scale, right.scale)
        let whole = max(left.digits.count - left.scale, right.digits.count - right.scale)
        left.pad(whole: whole, scale: scale)
        right.pad(whole: whole, scale: scale)
    }

    private mutating func pad(whole: Int, scale newScale: Int) {
        let missing = whole - (digits.count - scale)
        digits.insert(contentsOf: repeatElement(0, count: missing), at: 0)
        digits.append(contentsOf: repeatElement(0, count: newScale - scale))
        scale = newScale
    }

    private static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var result = left
        var carry: UInt8 = 0
        for index in left.indices.reversed() {
            let digit = left[index] + right[index] + carry
            result[index] = digit % 10
            carry = digit / 10
        }
        if carry > 0 { result.insert(carry, at: 0) }
        return result
    }

    /// The left digits less the right ones, which must not be more.
    private static func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var result = left
        var borrow: UInt8 = 0
        for index in left.indices.reversed() {
            let digit = 10 + left[index] - right[index] - borrow
            result[index] = digit % 10
            borrow = digit < 10 ? 1 : 0
        }
        return result
    }
}

/// Lower-case hexadecimal digits, the one spelling that is read back.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var high: UInt8?
        for digit in text {
            guard let value = digits.firstIndex(of: digit).map(UInt8.init) else { return nil }
            if let first = high {
                result.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? result : nil
    }
}

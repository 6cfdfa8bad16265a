/// Unpacks a zlib stream (RFC 1950, RFC 1951) of a known largest size.
///
/// The checksum at its end is not looked at: a picture that is damaged shows so.
struct Inflate {
    private let input: [UInt8]
    private let limit: Int
    private var position = 2
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []

    private struct Malformed: Error {}

    /// Nothing for what is malformed or larger than it should be.
    static func bytes(of input: [UInt8], limit: Int) -> [UInt8]? {
        guard input.count > 2, input[0] & 0x0F == 8, input[1] & 0x20 == 0 else { return nil }
        var inflate = Inflate(input: input, limit: limit)
        do { try inflate.run() } catch { return nil }
        return inflate.output
    }

    private init(input: [UInt8], limit: Int) {
        self.input = input
        self.limit = limit
        output.reserveCapacity(limit)
    }

    private mutating func run() throws {
        var isLast = false
        while !isLast {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try copyStored()
            case 1: try unpack(HuffmanCode.fixedLiterals, HuffmanCode.fixedDistances)
            case 2:
                let (literals, distances) = try readCodes()
                try unpack(literals, distances)
            default: throw Malformed()
            }
        }
    }

    private mutating func take(_ count: Int) throws -> Int {
        while bitCount < count {
            guard position < input.count else { throw Malformed() }
            bits |= UInt32(input[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        defer {
            bits >>= UInt32(count)
            bitCount -= count
        }
        return Int(bits & ((1 << UInt32(count)) - 1))
    }

    private mutating func copyStored() throws {
        (bits, bitCount) = (0, 0)
        guard position + 4 <= input.count else { throw Malformed() }
        let length = Int(input[position]) | Int(input[position + 1]) << 8
        position += 4
        guard position + length <= input.count, output.count + length <= limit else { throw Malformed() }
        output += input[position..<position + length]
        position += length
    }

    private mutating func symbol(_ code: HuffmanCode) throws -> Int {
        var walk = HuffmanCode.Walk()
        while true {
            let bit = try take(1)
            switch code.step(&walk, bit) {
            case .some(let symbol): return symbol
            case nil where walk.length == HuffmanCode.longest: throw Malformed()
            case nil: continue
            }
        }
    }

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]

    private mutating func unpack(_ literals: HuffmanCode, _ distances: HuffmanCode) throws {
        while true {
            let symbol = try symbol(literals)
            if symbol == 256 { return }
            if symbol < 256 {
                guard output.count < limit else { throw Malformed() }
                output.append(UInt8(symbol))
                continue
            }
            guard symbol < 286 else { throw Malformed() }
            let length = Self.lengthBases[symbol - 257] + (try take(Self.lengthBits[symbol - 257]))
            let code = try self.symbol(distances)
            guard code < 30 else { throw Malformed() }
            // Distances double every second code.
            let extra = max(0, code / 2 - 1)
            let base = code < 4 ? code + 1 : (2 + code % 2) << extra + 1
            let distance = base + (try take(extra))
            guard distance <= output.count, output.count + length <= limit else { throw Malformed() }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private mutating func readCodes() throws -> (HuffmanCode, HuffmanCode) {
        let literalCount = try take(5) + 257
        let distanceCount = try take(5) + 1
        var lengths = [Int](repeating: 0, count: 19)
        for place in Self.order.prefix(try take(4) + 4) { lengths[place] = try take(3) }
        let code = HuffmanCode(lengths)
        var all: [Int] = []
        while all.count < literalCount + distanceCount {
            switch try symbol(code) {
            case let length where length < 16: all.append(length)
            case 16:
                guard let last = all.last else { throw Malformed() }
                all += Array(repeating: last, count: try take(2) + 3)
            case 17: all += Array(repeating: 0, count: try take(3) + 3)
            default: all += Array(repeating: 0, count: try take(7) + 11)
            }
        }
        guard all.count == literalCount + distanceCount else { throw Malformed() }
        return (HuffmanCode(Array(all[..<literalCount])), HuffmanCode(Array(all[literalCount...])))
    }
}

/// A canonical Huffman code, told by the length of each symbol's code.
struct HuffmanCode {
    static let longest = 15
    static let fixedLiterals = HuffmanCode(
        Array(repeating: 8, count: 144) + Array(repeating: 9, count: 112) + Array(repeating: 7, count: 24)
            + Array(repeating: 8, count: 8))
    static let fixedDistances = HuffmanCode(Array(repeating: 5, count: 30))

    /// How many codes there are of each length, and the symbols in the order of their codes.
    private let counts: [Int]
    private let symbols: [Int]

    init(_ lengths: [Int]) {
        var counts = [Int](repeating: 0, count: Self.longest + 1)
        for length in lengths where length > 0 { counts[length] += 1 }
        self.counts = counts
        symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }

    /// How far the bits of one code have been read.
    struct Walk {
        fileprivate(set) var length = 0
        fileprivate var code = 0
        fileprivate var first = 0
        fileprivate var index = 0
    }

    /// Takes one more bit; a symbol when it was its last one.
    func step(_ walk: inout Walk, _ bit: Int) -> Int? {
        walk.length += 1
        walk.code = walk.code << 1 | bit
        walk.first <<= 1
        let count = counts[walk.length]
        if walk.code - walk.first < count {
            // A code with more symbols than its lengths have room for could point before or beyond them.
            let place = walk.index + walk.code - walk.first
            return symbols.indices.contains(place) ? symbols[place] : nil
        }
        walk.index += count
        walk.first += count
        return nil
    }
}

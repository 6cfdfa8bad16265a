/// The pixels of a PNG of any colour type and depth, interlaced ones left out; of 16 bits the upper eight.
struct IconPixels {
    let width: Int
    let height: Int
    /// Red, green, blue and opacity of each, row by row.
    private(set) var values: [UInt8] = []

    private struct Layout {
        let depth: Int
        let channels: Int
        let isIndexed: Bool
    }

    private var palette: [UInt8] = []
    private var transparency: [UInt8] = []

    init?(_ image: IconImage) {
        width = image.width
        height = image.height
        let bytes = image.bytes
        let (depth, type, interlace) = (Int(bytes[24]), bytes[25], bytes[28])
        guard interlace == 0, let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][type], [1, 2, 4, 8, 16].contains(depth),
            depth >= 8 || channels == 1, depth <= 8 || type != 3
        else { return nil }
        let layout = Layout(depth: depth, channels: channels, isIndexed: type == 3)
        let rowLength = (width * channels * depth + 7) / 8
        guard let packed = readChunks(bytes),
            let raw = Inflate.bytes(of: packed, limit: (rowLength + 1) * height), raw.count == (rowLength + 1) * height
        else { return nil }
        values.reserveCapacity(width * height * 4)
        let step = max(1, channels * depth / 8)
        var before = [UInt8](repeating: 0, count: rowLength)
        for start in stride(from: 0, to: raw.count, by: rowLength + 1) {
            let filter = raw[start]
            var row = Array(raw[start + 1..<start + 1 + rowLength])
            guard Self.unfilter(&row, above: before, by: filter, step) else { return nil }
            append(row, layout)
            before = row
        }
    }

    /// Joins the compressed data, and keeps the palette.
    private mutating func readChunks(_ bytes: [UInt8]) -> [UInt8]? {
        var packed: [UInt8] = []
        var index = 8
        while index + 12 <= bytes.count {
            let length = IconImage.number(bytes, at: index)
            let start = index + 8
            guard length <= bytes.count - start - 4 else { return nil }
            let content = bytes[start..<start + length]
            switch String(decoding: bytes[index + 4..<start], as: UTF8.self) {
            case "IDAT": packed += content
            case "PLTE": palette = Array(content)
            case "tRNS": transparency = Array(content)
            case "IEND": return packed
            default: break
            }
            index = start + length + 4
        }
        return packed
    }

    private static func unfilter(_ row: inout [UInt8], above: [UInt8], by filter: UInt8, _ step: Int) -> Bool {
        guard filter <= 4 else { return false }
        for index in row.indices where filter > 0 {
            let left = index >= step ? row[index - step] : 0
            let corner = index >= step ? above[index - step] : 0
            let guess: UInt8 =
                switch filter {
                case 1: left
                case 2: above[index]
                case 3: UInt8((Int(left) + Int(above[index])) / 2)
                default: paeth(Int(left), Int(above[index]), Int(corner))
                }
            row[index] &+= guess
        }
        return true
    }

    private static func paeth(_ left: Int, _ above: Int, _ corner: Int) -> UInt8 {
        let guess = left + above - corner
        let (toLeft, toAbove, toCorner) = (abs(guess - left), abs(guess - above), abs(guess - corner))
        if toLeft <= toAbove, toLeft <= toCorner { return UInt8(left) }
        return UInt8(toAbove <= toCorner ? above : corner)
    }

    private mutating func append(_ row: [UInt8], _ layout: Layout) {
        func sample(_ index: Int) -> UInt8 {
            switch layout.depth {
            case 16: return row[2 * index]
            case 8: return row[index]
            default:
                let bit = index * layout.depth
                let mask = UInt8((1 << layout.depth) - 1)
                let value = row[bit / 8] >> UInt8(8 - layout.depth - bit % 8) & mask
                return layout.isIndexed ? value : UInt8(Int(value) * 255 / Int(mask))
            }
        }
        for x in 0..<width {
            let first = x * layout.channels
            if layout.isIndexed {
                let index = Int(sample(first))
                let isKnown = 3 * index + 2 < palette.count
                values += isKnown ? palette[3 * index...3 * index + 2] : [0, 0, 0]
                values.append(index < transparency.count ? transparency[index] : 255)
            } else if layout.channels < 3 {
                values += Array(repeating: sample(first), count: 3)
                values.append(layout.channels == 2 ? sample(first + 1) : 255)
            } else {
                values += [sample(first), sample(first + 1), sample(first + 2)]
                values.append(layout.channels == 4 ? sample(first + 3) : 255)
            }
        }
    }
}

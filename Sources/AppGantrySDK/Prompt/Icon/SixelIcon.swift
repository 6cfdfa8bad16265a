/// An icon as sixels: scaled to its few cells, in 216 colours, with pixels that are less than half opaque left out.
///
/// PNGs that are interlaced are not read, and such an icon is not shown.
struct SixelIcon {
    private let pixels: IconPixels

    init?(_ image: IconImage) {
        guard let pixels = IconPixels(image) else { return nil }
        self.pixels = pixels
    }

    /// The picture at a height in pixels, in its own proportions up to three times as wide as high.
    func encoded(height: Int) -> [UInt8] {
        let height = max(6, min(height / 6 * 6, 240))
        let width = min(max(1, height * pixels.width / pixels.height), height * 3)
        let colours = (0..<height).map { y in (0..<width).map { colour(at: $0, y, width, height) } }
        var text = "\u{1B}P0;1q\"1;1;\(width);\(height)"
        let used = Set(colours.joined().compactMap { $0 }).sorted()
        for colour in used {
            text += "#\(colour);2;\(colour / 36 * 20);\(colour / 6 % 6 * 20);\(colour % 6 * 20)"
        }
        for top in stride(from: 0, to: height, by: 6) {
            let band = colours[top..<min(top + 6, height)]
            for colour in used where band.contains(where: { $0.contains(colour) }) {
                text += "#\(colour)\(Self.row(of: colour, in: band, width))$"
            }
            text += "-"
        }
        return Array((text + "\u{1B}\\").utf8)
    }

    /// The number of a colour in a cube of six steps each way.
    private func colour(at x: Int, _ y: Int, _ width: Int, _ height: Int) -> Int? {
        let start = 4 * (y * pixels.height / height * pixels.width + x * pixels.width / width)
        let value = pixels.values[start..<start + 4].map(Int.init)
        guard value[3] >= 128 else { return nil }
        let steps = value.prefix(3).map { ($0 * 5 + 127) / 255 }
        return steps[0] * 36 + steps[1] * 6 + steps[2]
    }

    private static func row(of colour: Int, in band: ArraySlice<[Int?]>, _ width: Int) -> String {
        var text = ""
        var (last, count) = (UInt8(0), 0)
        func flush() {
            let sign = Character(Unicode.Scalar(63 + last))
            text += count > 3 ? "!\(count)\(sign)" : String(repeating: sign, count: count)
        }
        for x in 0..<width {
            var sixel: UInt8 = 0
            for (bit, row) in band.enumerated() where row[x] == colour { sixel |= 1 << UInt8(bit) }
            if sixel != last {
                flush()
                (last, count) = (sixel, 0)
            }
            count += 1
        }
        flush()
        return text
    }
}

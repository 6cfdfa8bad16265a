import Foundation

/// Pictures of one colour, made without a packer: zlib allows data that is stored as it is.
enum SamplePNG {
    static func square(_ side: Int, red: UInt8, green: UInt8 = 0, blue: UInt8 = 0) -> Data {
        picture(
            side, side,
            rows: Array(repeating: [0] + Array(repeating: [red, green, blue], count: side).joined(), count: side))
    }

    /// A picture of raw rows, each with its filter first.
    static func picture(
        _ width: Int, _ height: Int, depth: UInt8 = 8, type: UInt8 = 2, rows: [[UInt8]],
        before: [(String, [UInt8])] = []
    ) -> Data {
        let raw = rows.flatMap { $0 }
        let length = [UInt8(raw.count & 0xFF), UInt8(raw.count >> 8)]
        let packed = [0x78, 0x01, 0x01] + length + length.map { ~$0 } + raw + [0, 0, 0, 0]
        var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        data += chunk("IHDR", number(width) + number(height) + [depth, type, 0, 0, 0])
        for (name, content) in before { data += chunk(name, content) }
        return data + chunk("IDAT", packed) + chunk("IEND", [])
    }

    private static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// The checksums are left at zero: the prompt does not look at them.
    private static func chunk(_ name: String, _ content: [UInt8]) -> Data {
        Data(number(content.count) + Array(name.utf8) + content + [0, 0, 0, 0])
    }
}

internal import CredentialStorage
internal import FoundationEssentials

/// A picture that a server sent, looked at only as far as needed to know that it is small enough.
struct IconImage {
    let bytes: [UInt8]
    let width: Int
    let height: Int

    private static let byteLimit = 1 << 20
    private static let sideLimit = 1024
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Nothing for what is no PNG, or is larger than an icon.
    init?(_ data: Data) {
        guard data.count <= Self.byteLimit else { return nil }
        bytes = Array(data)
        guard bytes.count > 33, bytes.starts(with: Self.signature), bytes[12..<16].elementsEqual("IHDR".utf8) else {
            return nil
        }
        width = Self.number(bytes, at: 16)
        height = Self.number(bytes, at: 20)
        guard (1...Self.sideLimit).contains(width), (1...Self.sideLimit).contains(height) else { return nil }
    }

    /// A number of four bytes in network order.
    static func number(_ bytes: [UInt8], at index: Int) -> Int {
        bytes[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}

/// An icon in a protocol that the terminal speaks, always of the same few cells.
enum TerminalIcon {
    case kitty(KittyIcon)
    case sixel(SixelIcon)

    private static let rowCount = 4

    /// How many rows it takes, or `nil` where there is no room for it beside the text.
    func rows(on size: TerminalSize) -> Int? {
        size.rows >= 14 && size.columns >= 24 ? Self.rowCount : nil
    }

    /// What is sent once, before it is first shown.
    var prepared: [UInt8] {
        switch self {
        case .kitty(let icon): icon.transmission
        case .sixel: []
        }
    }

    /// Takes it off, where erasing the text under it may not.
    var hidden: [UInt8] {
        switch self {
        case .kitty(let icon): Array(icon.displacement.utf8)
        case .sixel: []
        }
    }

    /// Draws it at the top left corner.
    func placed(on size: TerminalSize) -> [UInt8] {
        switch self {
        case .kitty(let icon): Array("\u{1B}[1;1H\(icon.placement(rows: Self.rowCount, size))".utf8)
        case .sixel(let icon): Array("\u{1B}[1;1H".utf8) + icon.encoded(height: Self.rowCount * size.cellHeight)
        }
    }
}

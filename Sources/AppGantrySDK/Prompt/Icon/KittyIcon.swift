internal import CredentialStorage

/// An icon in kitty's graphics protocol, which takes a PNG as it is.
struct KittyIcon {
    private let image: IconImage
    private let identifier: UInt32
    private static let chunk = 4096

    init(_ image: IconImage, _ identifier: UInt32) {
        self.image = image
        self.identifier = identifier
    }

    /// Asks whether a picture of one pixel would be taken, without showing it.
    static func question(_ identifier: UInt32) -> String {
        command("a=q,t=d,f=24,s=1,v=1,i=\(identifier)", payload: "AAAA")
    }

    /// Takes the picture off, and out of the terminal's memory.
    static func removal(_ identifier: UInt32) -> String { command("a=d,d=I,q=2,i=\(identifier)") }

    /// The picture in base64, so that no byte of a server reaches the terminal as it is.
    var transmission: [UInt8] {
        var encoded: [UInt8] = []
        encoded.appendBase64(of: image.bytes.span)
        var result: [UInt8] = []
        var start = 0
        while start < encoded.count {
            let end = min(start + Self.chunk, encoded.count)
            let isLast = end == encoded.count
            let keys = start == 0 ? "a=t,t=d,f=100,q=2,i=\(identifier),m=" : "q=2,m="
            let payload = String(decoding: encoded[start..<end], as: UTF8.self)
            result += Array(Self.command(keys + (isLast ? "0" : "1"), payload: payload).utf8)
            start = end
        }
        return result
    }

    /// Shows it once, at the cursor, which stays where it is.
    func placement(rows: Int, _ size: TerminalSize) -> String {
        let wanted = rows * size.cellHeight * image.width / image.height
        let columns = min(max(1, (wanted + size.cellWidth - 1) / size.cellWidth), size.columns)
        return displacement + Self.command("a=p,q=2,C=1,i=\(identifier),r=\(rows),c=\(columns)")
    }

    /// Takes it off the screen, and leaves it in the terminal's memory.
    var displacement: String { Self.command("a=d,d=i,q=2,i=\(identifier)") }

    private static func command(_ keys: String, payload: String = "") -> String {
        "\u{1B}_G\(keys)\(payload.isEmpty ? "" : ";")\(payload)\u{1B}\\"
    }
}

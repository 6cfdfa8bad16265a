import Foundation

/// Bytes with their meaning beside them.
struct HexWalk {
    private let bytes: [UInt8]
    private(set) var text = ""
    /// Where the next field begins.
    private(set) var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined(separator: " ")
    }

    mutating func title(_ title: String) { text += (text.isEmpty ? "" : "\n") + title + "\n" }

    mutating func line(_ line: String) { text += line + "\n" }

    /// A value that stands nowhere in the file.
    mutating func value(_ name: String, _ bytes: [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: 32) {
            let part = Self.hex(bytes[start..<min(start + 32, bytes.count)])
            line((start == 0 ? name : "").padding(toLength: 15, withPad: " ", startingAt: 0) + " " + part)
        }
    }

    mutating func move(to offset: Int) { place = offset }

    /// The next bytes of the file, and what they are.
    mutating func field(_ count: Int, _ meaning: String) {
        for start in stride(from: place, to: place + count, by: 16) {
            let part = bytes[start..<min(start + 16, place + count)]
            let address = String(start).padding(toLength: 5, withPad: " ", startingAt: 0)
            let shown = Self.hex(part).padding(toLength: 47, withPad: " ", startingAt: 0)
            let note = start == place ? meaning : ""
            line(note.isEmpty ? "\(address)  \(Self.hex(part))" : "\(address)  \(shown)  \(note)")
        }
        place += count
    }

    func bytes(_ range: Range<Int>) -> [UInt8] { Array(bytes[range]) }

    func number(_ offset: Int, _ size: Int) -> Int {
        bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

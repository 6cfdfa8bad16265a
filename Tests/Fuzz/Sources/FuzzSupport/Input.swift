/// What an input says: how the rest is made to look right, and the rest.
struct Input {
    /// What stands in the first byte.
    struct Mode: OptionSet {
        let rawValue: UInt8

        /// The plain hash of each header copy is made right, which needs no key.
        static let plainHash = Mode(rawValue: 1)
        /// The keyed hash of each header copy is made right, as only a holder of the master key can.
        static let headerMAC = Mode(rawValue: 2)
        /// The MAC of each frame is made right for its place, as only a holder of the data key can.
        static let frameMACs = Mode(rawValue: 4)
        /// The companion of the sound vault is there.
        static let companion = Mode(rawValue: 8)
        /// Both header copies are the one that is given; otherwise the second one is the sound vault's.
        static let bothCopies = Mode(rawValue: 16)
        /// No room follows the log.
        static let isCut = Mode(rawValue: 32)
        /// Something is written afterwards.
        static let writes = Mode(rawValue: 64)

        /// Whether nobody's key was used to make it look right.
        var isWithoutKey: Bool { isDisjoint(with: [.headerMAC, .frameMACs]) }
    }

    let mode: Mode
    /// The number behind the mode: where the parts below meet, or where the published log ends.
    let number: Int
    let bytes: [UInt8]

    init(_ input: UnsafeBufferPointer<UInt8>) {
        mode = Mode(rawValue: input.first ?? 0)
        number = input.count < 3 ? 0 : Int(input[1]) | Int(input[2]) << 8
        bytes = Array(input.dropFirst(3))
    }

    var first: [UInt8] { Array(bytes.prefix(number)) }
    var second: [UInt8] { Array(bytes.dropFirst(number)) }

    /// The bytes of an input.
    static func encode(_ mode: Mode, _ number: Int, _ bytes: [UInt8]) -> [UInt8] {
        [mode.rawValue, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)] + bytes
    }

    static func encode(_ mode: Mode, _ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        encode(mode, first.count, first + second)
    }
}

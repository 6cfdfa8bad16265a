/// What came from the terminal.
enum PromptKey: Equatable {
    case character(UInt8)
    case enter
    case interrupt
    case endOfInput
    case suspend
    case quit
    case up, down, left, right, pageUp, pageDown, home, end
    /// The terminal says what it can do; 4 is sixel.
    case attributes([Int])
    /// The terminal says whether it took a picture in kitty's protocol.
    case graphics(Bool)
}

/// Makes keys of bytes, and keeps the terminal's own answers apart from what a person types.
struct PromptKeyParser {
    private enum State {
        case ground
        case escape
        case controlSequence
        case string
        case stringEscape
    }

    private var state = State.ground
    private var collected: [UInt8] = []
    private static let limit = 256

    /// Whether more bytes belong to what has begun.
    var isInside: Bool { state != .ground }

    /// Nothing came for a while: a lone Escape was typed, or a sequence broke off.
    mutating func giveUp() { reset() }

    private mutating func reset() {
        state = .ground
        collected = []
    }

    mutating func take(_ byte: UInt8) -> PromptKey? {
        switch byte {
        case 0x03: return end(.interrupt)
        case 0x04: return end(.endOfInput)
        case 0x1A: return end(.suspend)
        case 0x1C: return end(.quit)
        default: break
        }
        switch state {
        case .ground: return inGround(byte)
        case .escape: return afterEscape(byte)
        case .controlSequence: return inControlSequence(byte)
        case .string:
            if byte == 0x1B { state = .stringEscape } else if byte == 0x07 { return endString() } else { collect(byte) }
            return nil
        case .stringEscape:
            if byte == UInt8(ascii: "\\") { return endString() }
            state = .escape
            return afterEscape(byte)
        }
    }

    private mutating func end(_ key: PromptKey?) -> PromptKey? {
        reset()
        return key
    }

    private mutating func collect(_ byte: UInt8) {
        if collected.count < Self.limit { collected.append(byte) }
    }

    private mutating func inGround(_ byte: UInt8) -> PromptKey? {
        switch byte {
        case 0x1B:
            state = .escape
            return nil
        case 0x0A, 0x0D: return .enter
        case 0x09, 0x20...0x7E: return .character(byte)
        default: return nil
        }
    }

    private mutating func afterEscape(_ byte: UInt8) -> PromptKey? {
        collected = []
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "O"): state = .controlSequence
        case UInt8(ascii: "_"), UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            state = .string
            collected = [byte]
        case 0x1B: break
        // A key with Alt held down, which means nothing here.
        default: state = .ground
        }
        return nil
    }

    private mutating func inControlSequence(_ byte: UInt8) -> PromptKey? {
        switch byte {
        case 0x20...0x3F:
            collect(byte)
            return nil
        case 0x40...0x7E:
            let parameters = String(decoding: collected, as: UTF8.self)
            return end(Self.key(final: byte, parameters))
        default: return end(nil)
        }
    }

    private static func key(final: UInt8, _ parameters: String) -> PromptKey? {
        switch (final, parameters) {
        case (UInt8(ascii: "c"), _) where parameters.hasPrefix("?"):
            return .attributes(parameters.dropFirst().split(separator: ";").compactMap { Int($0) })
        case (UInt8(ascii: "A"), ""): return .up
        case (UInt8(ascii: "B"), ""): return .down
        case (UInt8(ascii: "C"), ""): return .right
        case (UInt8(ascii: "D"), ""): return .left
        case (UInt8(ascii: "H"), ""), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"): return .home
        case (UInt8(ascii: "F"), ""), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"): return .end
        case (UInt8(ascii: "~"), "5"): return .pageUp
        case (UInt8(ascii: "~"), "6"): return .pageDown
        case (UInt8(ascii: "M"), ""): return .enter
        default: return nil
        }
    }

    private mutating func endString() -> PromptKey? {
        let text = String(decoding: collected, as: UTF8.self)
        guard text.hasPrefix("_G") else { return end(nil) }
        return end(.graphics(text.hasSuffix(";OK")))
    }
}

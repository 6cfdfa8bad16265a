internal import CredentialStorage
internal import FoundationEssentials

/// Finds out whether a terminal shows pictures, by asking it and reading its answer among the keys.
///
/// The prompt stands there meanwhile; a terminal that never answers costs nothing. Nothing is asked when there is no
/// picture to show, and inside a multiplexer only what that answers by itself.
struct IconDetection {
    private let image: IconImage?
    private let asksKitty: Bool
    private let identifier = UInt32.random(in: 1 << 24...UInt32.max)
    private let asked = ContinuousClock.now
    private var takesKitty = false
    private(set) var isWaiting: Bool

    init(_ data: Data?, _ environment: Environment) {
        let kind = environment["TERM"] ?? "dumb"
        let isMute = kind == "dumb" || kind == "linux" || kind.hasPrefix("vt")
        image = isMute ? nil : data.flatMap(IconImage.init)
        // A multiplexer would take the question for a window's title.
        asksKitty =
            environment["TMUX"] == nil && environment["STY"] == nil && !kind.hasPrefix("tmux")
            && !kind.hasPrefix("screen")
        isWaiting = image != nil
    }

    /// The second question is one that every terminal answers, so that its answer ends the wait.
    var question: String? {
        guard image != nil else { return nil }
        return (asksKitty ? KittyIcon.question(identifier) : "") + "\u{1B}[c"
    }

    /// Whether an answer may still be under way.
    var isRecent: Bool { ContinuousClock.now - asked < .seconds(2) }

    /// What takes the picture off the terminal.
    var cleanup: String { image != nil && asksKitty ? KittyIcon.removal(identifier) : "" }

    /// Looks at a key: `nil` when it does not end the wait, otherwise the icon, if the terminal shows any.
    mutating func take(_ key: PromptKey) -> TerminalIcon?? {
        guard isWaiting, let image else { return nil }
        switch key {
        case .graphics(let isTaken):
            takesKitty = asksKitty && isTaken
            return nil
        case .attributes(let attributes):
            isWaiting = false
            if takesKitty { return .some(.kitty(KittyIcon(image, identifier))) }
            if attributes.dropFirst().contains(4) { return .some(SixelIcon(image).map(TerminalIcon.sixel)) }
            return .some(nil)
        default: return nil
        }
    }
}

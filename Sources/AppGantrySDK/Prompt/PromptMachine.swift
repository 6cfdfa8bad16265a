/// What a prompt does with each key: which choice is marked, how far the text is scrolled, and what ends it.
struct PromptMachine: Equatable {
    enum Choice { case install, later }

    /// What a key means to every other program.
    enum Signal { case interrupt, quit, suspend }

    enum Step: Equatable {
        case nothing
        case redraw
        /// Give the terminal back and let the program have the signal.
        case signal(Signal)
        case end(UpdatePromptView.Outcome)
    }

    let isMandatory: Bool
    private(set) var marked = Choice.install
    private(set) var offset = 0
    /// Whether somebody has just tried to leave what cannot be put off.
    private(set) var isRefusing = false
    private var page = 1
    private var rows = 0

    init(isMandatory: Bool) { self.isMandatory = isMandatory }

    var choices: [Choice] { isMandatory ? [.install] : [.install, .later] }
    var isMoreBelow: Bool { offset < lastOffset }
    private var lastOffset: Int { max(0, rows - page) }

    /// Tells how many rows the text has and how many of them can be seen.
    mutating func fit(rows: Int, page: Int) {
        self.rows = rows
        self.page = max(1, page)
        offset = min(offset, lastOffset)
    }

    mutating func take(_ key: PromptKey) -> Step {
        let wasRefusing = isRefusing
        isRefusing = false
        switch key {
        case .enter: return .end(marked == .install ? .install : .later)
        case .character(UInt8(ascii: "i")), .character(UInt8(ascii: "I")): return .end(.install)
        case .character(UInt8(ascii: "l")), .character(UInt8(ascii: "L")):
            return isMandatory ? shown(after: wasRefusing) : .end(.later)
        case .interrupt: return leave(again: wasRefusing)
        case .endOfInput: return isMandatory ? refuse() : .end(.later)
        case .suspend: return .signal(.suspend)
        case .quit: return .signal(.quit)
        case .character(0x09), .left, .right:
            if !isMandatory { marked = marked == .install ? .later : .install }
            return .redraw
        case .up: return scroll(to: offset - 1, wasRefusing)
        case .down: return scroll(to: offset + 1, wasRefusing)
        case .pageUp: return scroll(to: offset - page, wasRefusing)
        case .pageDown, .character(0x20): return scroll(to: offset + page, wasRefusing)
        case .home: return scroll(to: 0, wasRefusing)
        case .end: return scroll(to: lastOffset, wasRefusing)
        case .character: return shown(after: wasRefusing)
        case .attributes, .graphics:
            isRefusing = wasRefusing
            return .nothing
        }
    }

    private mutating func leave(again: Bool) -> Step {
        guard isMandatory else { return .end(.later) }
        return again ? .signal(.interrupt) : refuse()
    }

    private mutating func refuse() -> Step {
        isRefusing = true
        return .redraw
    }

    private func shown(after wasRefusing: Bool) -> Step { wasRefusing ? .redraw : .nothing }

    private mutating func scroll(to wanted: Int, _ wasRefusing: Bool) -> Step {
        let next = min(max(0, wanted), lastOffset)
        defer { offset = next }
        return next != offset || wasRefusing ? .redraw : .nothing
    }
}

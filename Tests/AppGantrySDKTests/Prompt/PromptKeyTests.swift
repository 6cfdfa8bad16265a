import Testing

@testable import AppGantrySDK

@Suite("update prompt: keys and choices")
struct PromptKeyTests {
    private func keys(_ text: String) -> [PromptKey] {
        var parser = PromptKeyParser()
        return text.utf8.compactMap { parser.take($0) }
    }

    @Test("keys are told apart")
    func plainKeys() {
        #expect(
            keys("i\r\n\u{3}\u{4}\u{1A}\u{1C}\t") == [
                .character(0x69), .enter, .enter, .interrupt, .endOfInput, .suspend, .quit, .character(0x09),
            ])
        #expect(
            keys("\u{1B}[A\u{1B}OB\u{1B}[C\u{1B}[D\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}OF\u{1B}[1~\u{1B}OM") == [
                .up, .down, .right, .left, .pageUp, .pageDown, .home, .end, .home, .enter,
            ])
    }

    @Test(
        "what a terminal says is no key",
        arguments: [
            "\u{1B}_Gi=31;OK\u{1B}\\", "\u{1B}[?62;4c", "\u{1B}]11;rgb:ii/ll/ii\u{7}", "\u{1B}P>|li\u{1B}\\",
            "\u{1B}[4;80;24t",
            "\u{1B}[I", "\u{1B}[12;34R", "\u{1B}[<0;3;4M", "\u{1B}i", "é日\u{80}",
        ])
    func answers(text: String) {
        for key in keys(text) {
            switch key {
            case .attributes, .graphics: continue
            default: Issue.record("\(key)")
            }
        }
    }

    @Test("the terminal's answers are read")
    func readAnswers() {
        #expect(keys("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;4;22c") == [.graphics(true), .attributes([62, 4, 22])])
        #expect(keys("\u{1B}_Gi=31;ENOTSUPPORTED:x\u{1B}\\") == [.graphics(false)])
    }

    @Test("Ctrl-C and Ctrl-D come through whatever has begun")
    func inside() {
        #expect(keys("\u{1B}_G\u{3}") == [.interrupt])
        #expect(keys("\u{1B}[12\u{4}") == [.endOfInput])
    }

    @Test("a sequence without end is given up, and takes no memory")
    func endless() {
        var parser = PromptKeyParser()
        for _ in 0..<100_000 { for byte in "\u{1B}_abc".utf8 { #expect(parser.take(byte) == nil) } }
        #expect(parser.isInside)
        parser.giveUp()
        #expect(!parser.isInside)
        #expect(parser.take(0x69) == .character(0x69))
    }

    @Test("no sequence of keys puts a mandatory update off")
    func mandatory() {
        let all: [PromptKey] =
            [
                .enter, .interrupt, .endOfInput, .suspend, .quit, .up, .down, .left, .right, .pageUp, .pageDown, .home,
                .end,
            ]
            + [.attributes([4]), .graphics(true)] + (0..<128).map { .character($0) }
        for first in all {
            for second in all {
                var machine = PromptMachine(isMandatory: true)
                for key in [first, second] {
                    let step = machine.take(key)
                    #expect(step != .end(.later) && step != .end(.undecided))
                }
            }
        }
    }

    @Test("only a second Ctrl-C right after the first goes to the program")
    func interrupts() {
        var machine = PromptMachine(isMandatory: true)
        #expect(machine.take(.interrupt) == .redraw)
        #expect(machine.isRefusing)
        #expect(machine.take(.up) == .redraw)
        #expect(machine.take(.interrupt) == .redraw)
        #expect(machine.take(.attributes([1])) == .nothing)
        #expect(machine.take(.interrupt) == .signal(.interrupt))
        var optional = PromptMachine(isMandatory: false)
        #expect(optional.take(.interrupt) == .end(.later))
    }

    @Test("a text is scrolled no further than it goes")
    func scrolling() {
        var machine = PromptMachine(isMandatory: false)
        machine.fit(rows: 30, page: 10)
        #expect(machine.take(.up) == .nothing)
        #expect(machine.take(.pageDown) == .redraw)
        #expect(machine.offset == 10)
        #expect(machine.isMoreBelow)
        #expect(machine.take(.end) == .redraw)
        #expect(machine.offset == 20)
        #expect(!machine.isMoreBelow)
        #expect(machine.take(.down) == .nothing)
        machine.fit(rows: 12, page: 10)
        #expect(machine.offset == 2)
        #expect(machine.take(.home) == .redraw)
        machine.fit(rows: 3, page: 10)
        #expect(machine.take(.character(0x20)) == .nothing)
    }
}

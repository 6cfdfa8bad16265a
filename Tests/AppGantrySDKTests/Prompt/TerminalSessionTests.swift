import AppGantrySDK
import CredentialTestSupport
import Foundation
import Glibc
import Testing

/// How a prompt takes a terminal, and gives it back on every way out.
@Suite("update prompt: terminal", .enabled(if: Tmux.isThere, "tmux is not installed"), .timeLimit(.minutes(2)))
struct TerminalSessionTests {
    @Test(
        "a signal that ends the program finds the terminal given back",
        arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGALRM, SIGABRT, SIGSEGV])
    func endingSignals(signal: Int32) throws {
        let terminal = try Tmux("version=2.1")
        try terminal.wait(for: "[ Install ]")
        #expect(try terminal.value("#{alternate_on}") == "1")
        try terminal.send(signal)
        let end = try terminal.ending()
        #expect(end.contains("exit \(128 + signal)"))
        #expect(!end.contains("ended:"))
        #expect(try terminal.isGivenBack)
    }

    @Test(
        "an exit or a crash elsewhere in the program gives the terminal back", arguments: [("exit", 7), ("crash", 134)])
    func otherWaysOut(word: String, code: Int) throws {
        let terminal = try Tmux("version=2.1", word)
        try terminal.wait(for: "[ Install ]")
        try terminal.send(SIGUSR2)
        #expect(try terminal.ending().contains("exit \(code)"))
        #expect(try terminal.isGivenBack)
    }

    @Test("the program's own handler of a signal is called, and the prompt stays")
    func ownHandler() throws {
        let terminal = try Tmux("version=2.1", "handles-interrupt")
        try terminal.wait(for: "[ Install ]")
        try terminal.send(SIGINT)
        try terminal.press("Tab")
        try terminal.wait(for: "[ Later ]")
        try terminal.press("Enter")
        let end = try terminal.ending()
        #expect(end.contains("handled"))
        #expect(end.contains("ended: later, install 0, later 1"))
        #expect(try terminal.isGivenBack)
    }

    @Test("a stopped program leaves the terminal as it was, and asks again when it goes on", arguments: [true, false])
    func stop(byKey: Bool) throws {
        let terminal = try Tmux("version=2.1")
        try terminal.wait(for: "[ Install ]")
        if byKey { try terminal.press("C-z") } else { try terminal.send(SIGTSTP) }
        try terminal.wait(for: "stopped")
        #expect(try terminal.isGivenBack)
        try terminal.press("Enter")
        try terminal.wait(for: "[ Install ]")
        try terminal.press("i")
        let end = try terminal.ending()
        #expect(end.contains("ended: install, install 1, later 0"))
        #expect(try terminal.isGivenBack)
    }

    @Test("a program that goes on in the background asks again when it is brought forward")
    func bringForward() throws {
        let terminal = try Tmux("mandatory", "version=2.1")
        try terminal.wait(for: "[ Install ]")
        try terminal.press("C-z")
        try terminal.wait(for: "stopped")
        try terminal.press("b", "Enter")
        try terminal.wait(for: "behind")
        #expect(try terminal.value("#{alternate_on}") == "0")
        try terminal.press("Enter")
        try terminal.wait(for: "[ Install ]")
        try terminal.press("i")
        #expect(try terminal.ending().contains("ended: install, install 1, later 0"))
        #expect(try terminal.isGivenBack)
    }

    @Test("a change of size wraps the text anew")
    func resize() throws {
        let notes = try TemporaryDirectory().path + "/notes"
        let words = (1...60).map { "word\($0)" }
        try Data(words.joined(separator: " ").utf8).write(to: URL(fileURLWithPath: notes))
        let terminal = try Tmux(columns: 100, rows: 30, "version=2.1", "notes=\(notes)")
        try terminal.wait(for: "[ Install ]")
        for (columns, rows) in [(40, 30), (20, 12), (90, 20), (30, 6)] {
            try terminal.resize(columns: columns, rows: rows)
            let screen = try terminal.wait { seen in
                let lines = seen.split(separator: "\n")
                let isWhole = lines.allSatisfy { line in
                    line.split(separator: " ").allSatisfy { !$0.hasPrefix("word") || words.contains(String($0)) }
                }
                return isWhole && seen.contains("[ Install ]") && seen.contains("An update is")
            }
            #expect(screen.split(separator: "\n").count <= rows)
        }
        try terminal.press("l")
        #expect(try terminal.ending().contains("ended: later"))
        #expect(try terminal.isGivenBack)
    }

    @Test("a text that is longer than the screen is scrolled, and the choices stay")
    func scrolling() throws {
        let notes = try TemporaryDirectory().path + "/notes"
        let lines = (1...100).map { "- line \($0) of it" }
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: notes))
        let terminal = try Tmux("version=2.1", "notes=\(notes)")
        #expect(try terminal.wait(for: "[ Install ]").contains("-- more below --"))
        try terminal.press("PageDown")
        try terminal.wait { !$0.contains("line 1 of") && $0.contains("line 20 of") && $0.contains("[ Install ]") }
        try terminal.press("End")
        try terminal.wait { $0.contains("line 100 of") && !$0.contains("more below") }
        try terminal.press("Home")
        try terminal.wait { $0.contains("An update is available") }
        try terminal.press("i")
        #expect(try terminal.ending().contains("ended: install"))
    }

    @Test("right-to-left and wide text stands there whole")
    func scripts() throws {
        let notes = try TemporaryDirectory().path + "/notes"
        try Data("- שלום עולם\n- 日本語の説明\n- e\u{301} 😀".utf8).write(to: URL(fileURLWithPath: notes))
        let terminal = try Tmux("name=日本語アプリ", "notes=\(notes)")
        let screen = try terminal.wait(for: "[ Install ]")
        for text in ["日本語アプリ", "- שלום עולם", "- 日本語の説明", "- e\u{301} 😀"] { #expect(screen.contains(text)) }
        try terminal.press("l")
        _ = try terminal.ending()
    }

    @Test("with input closed or from elsewhere it prints the content once", arguments: ["</dev/null", "<&-", "| cat"])
    func noTerminal(redirect: String) throws {
        let terminal = try Tmux("version=2.1", redirect: redirect)
        let end = try terminal.ending()
        #expect(
            end.contains("An update is available\nExample App\nVersion 2.1\nended: undecided, install 0, later 0\n"))
        #expect(!end.contains("[ Install ]"))
        #expect(end.components(separatedBy: "Example App").count == 2)
        #expect(try terminal.isGivenBack)
    }

    @Test("a terminal that cannot move its cursor is asked too")
    func paper() throws {
        let terminal = try Tmux("mandatory", "version=2.1", environment: ["TERM": "dumb"])
        try terminal.wait(for: "Enter or i: install")
        try terminal.press("C-c")
        try terminal.wait(for: "This update is required.")
        #expect(try terminal.value("#{alternate_on}") == "0")
        try terminal.press("i")
        #expect(try terminal.ending().contains("ended: install, install 1, later 0"))
        #expect(try terminal.isGivenBack)
    }

    @Test("in the background it asks nobody")
    func background() throws {
        let terminal = try Tmux("version=2.1", redirect: "& wait $!")
        let end = try terminal.ending()
        #expect(end.contains("ended: undecided, install 0, later 0"))
        #expect(try terminal.isGivenBack)
    }
}

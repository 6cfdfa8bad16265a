import AppGantrySDK
import CredentialTestSupport
import Foundation
import Glibc
import Testing

/// The rows about the view, seen in a real terminal.
@Suite("update prompt: screen", .enabled(if: Tmux.isThere, "tmux is not installed"), .timeLimit(.minutes(2)))
struct UpdatePromptScreenTests {
    private func file(_ text: String) throws -> String {
        let path = try TemporaryDirectory().path + "/file"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("P4: the view is a part of the SDK that needs no library for windows or for terminals")
    func noLibraries() throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let subject = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent("PromptSubject")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/ldd")
        process.arguments = [subject.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text.contains("libc.so"))
        for library in ["libgtk", "libX11", "libwayland", "libncurses", "libtinfo", "libQt"] {
            #expect(!text.contains(library))
        }
    }

    @Test("P5: content and two closures make a view, or content and one, and nothing happens before it is presented")
    func inputs() throws {
        var calls = 0
        let content = UpdatePromptContent(appName: "Example")
        UpdatePromptView(content: content, onInstall: { calls += 1 }, onLater: { calls += 1 })
        UpdatePromptView(content: content, onInstall: { calls += 1 })
        #expect(calls == 0)
        let terminal = try Tmux("no-later", "version=2.1")
        try terminal.wait(for: "Later")
        try terminal.press("l")
        #expect(try terminal.ending().contains("ended: later, install 0, later 0"))
    }

    @Test("P6: Enter or i installs, once", arguments: ["Enter", "i", "I"], [[], ["mandatory"]])
    func install(key: String, words: [String]) throws {
        let terminal = try Tmux("version=2.1", words.first ?? "optional")
        try terminal.wait(for: "Install")
        try terminal.press(key)
        let end = try terminal.ending()
        #expect(end.contains("ended: install, install 1, later 0"))
        #expect(end.contains("exit 0"))
        #expect(try terminal.isGivenBack)
    }

    @Test("P7: l, Ctrl-C, Ctrl-D and the marked choice put it off, once", arguments: ["l", "L", "C-c", "C-d", "mark"])
    func later(key: String) throws {
        let terminal = try Tmux("version=2.1")
        try terminal.wait(for: "[ Install ]")
        if key == "mark" {
            try terminal.press("Tab")
            try terminal.wait(for: "[ Later ]")
            try terminal.press("Enter")
        } else {
            try terminal.press(key)
        }
        let end = try terminal.ending()
        #expect(end.contains("ended: later, install 0, later 1"))
        #expect(end.contains("exit 0"))
        #expect(try terminal.isGivenBack)
    }

    @Test("P7: keys that mean nothing answer nothing")
    func otherKeys() throws {
        let terminal = try Tmux("version=2.1")
        try terminal.wait(for: "Install")
        try terminal.press("x", "Escape", "q", "F1", "Up", "Down", "M-i", "Left")
        try terminal.wait(for: "[ Later ]")
        try terminal.press("Right")
        try terminal.wait(for: "[ Install ]")
        try terminal.press("l")
        #expect(try terminal.ending().contains("ended: later, install 0, later 1"))
    }

    @Test("P14: a mandatory update offers no way to put it off, and no key does")
    func mandatory() throws {
        let terminal = try Tmux("mandatory", "version=2.1")
        let first = try terminal.wait(for: "[ Install ]")
        #expect(!first.lowercased().contains("later"))
        try terminal.press("l", "Tab", "C-d")
        let refused = try terminal.wait(for: "This update is required.")
        #expect(!refused.lowercased().contains("later"))
        try terminal.press("x", "C-c")
        try terminal.wait(for: "This update is required.")
        try terminal.press("i")
        #expect(try terminal.ending().contains("ended: install, install 1, later 0"))
    }

    @Test("P14: a second Ctrl-C at a mandatory update interrupts the program, and is no answer")
    func interrupt() throws {
        let terminal = try Tmux("mandatory", "version=2.1")
        try terminal.wait(for: "[ Install ]")
        try terminal.press("C-c")
        try terminal.wait(for: "This update is required.")
        try terminal.press("C-c")
        let end = try terminal.ending()
        #expect(end.contains("exit 130"))
        #expect(!end.contains("ended:"))
        #expect(try terminal.isGivenBack)
    }

    @Test("P14: a program that handles the interrupt is asked on")
    func handledInterrupt() throws {
        let terminal = try Tmux("mandatory", "handles-interrupt", "version=2.1")
        try terminal.wait(for: "[ Install ]")
        try terminal.press("C-c")
        try terminal.wait(for: "This update is required.")
        try terminal.press("C-c")
        try terminal.wait { $0.contains("[ Install ]") && !$0.contains("This update is required.") }
        try terminal.press("Enter")
        let end = try terminal.ending()
        #expect(end.contains("handled"))
        #expect(end.contains("ended: install, install 1, later 0"))
        #expect(try terminal.isGivenBack)
    }

    @Test("P15: no icon leaves no gap, nor does one that the terminal cannot show", arguments: [true, false])
    func noIcon(hasIcon: Bool) throws {
        let icon = try TemporaryDirectory().path + "/icon"
        try SamplePNG.square(8, red: 255).write(to: URL(fileURLWithPath: icon))
        let terminal = try Tmux("version=2.1", hasIcon ? "icon=\(icon)" : "plain")
        let screen = try terminal.wait(for: "[ Install ]")
        #expect(screen.hasPrefix("An update is available\nExample App\nVersion 2.1\n\n[ Install ]"))
        try terminal.press("l")
        let end = try terminal.ending()
        // Nothing of the terminal's answer is left to be echoed.
        #expect(!end.contains("1;2c"))
        #expect(try terminal.value("#{pane_title}").contains("Gi=") == false)
        #expect(try terminal.isGivenBack)
    }

    @Test("P16: no notes, or empty ones, have no heading", arguments: [nil, "", " \n\t\n", "\u{1B}[31m\u{200B}"])
    func noNotes(notes: String?) throws {
        let terminal = try Tmux("version=2.1", try notes.map { "notes=\(try file($0))" } ?? "plain")
        let screen = try terminal.wait(for: "[ Install ]")
        #expect(!screen.contains("What is new"))
        #expect(screen.hasPrefix("An update is available\nExample App\nVersion 2.1\n\n[ Install ]"))
        try terminal.press("l")
        _ = try terminal.ending()
    }

    @Test("P17: any of icon, notes and version may be missing", arguments: 0..<8)
    func combinations(parts: Int) throws {
        let (hasIcon, hasNotes, hasVersion) = (parts & 1 != 0, parts & 2 != 0, parts & 4 != 0)
        let icon = try TemporaryDirectory().path + "/icon"
        try SamplePNG.square(8, red: 255).write(to: URL(fileURLWithPath: icon))
        let terminal = try Tmux(
            hasIcon ? "icon=\(icon)" : "no-icon", hasNotes ? "notes=\(try file("- Faster."))" : "no-notes",
            hasVersion ? "version=2.1" : "no-version")
        let screen = try terminal.wait(for: "[ Install ]")
        var expected = "An update is available\nExample App\n"
        if hasVersion { expected += "Version 2.1\n" }
        if hasNotes { expected += "\nWhat is new\n  - Faster.\n" }
        expected += "\n[ Install ]   Later\nEnter: the marked one, i: install, l: later\n"
        #expect(screen.trimmingCharacters(in: .newlines) == expected.trimmingCharacters(in: .newlines))
        try terminal.press("i")
        #expect(try terminal.ending().contains("ended: install, install 1, later 0"))
    }

    @Test("P24: sequences in notes and names are inert")
    func inert() throws {
        let notes =
            "\u{1B}[2J\u{1B}[31mred\u{1B}[0m \u{1B}]0;title\u{7}\u{9B}1;1Hx\u{1B}[?1049l\u{1B}c\u{202E}abc\u{7}\u{8}\u{8}"
        let terminal = try Tmux(
            "name=\u{1B}[5mName\u{1B}]2;owned\u{1B}\\\u{202E}!", "version=2\u{1B}[7m.1", "notes=\(try file(notes))")
        let screen = try terminal.wait(for: "[ Install ]")
        #expect(
            screen.hasPrefix("An update is available\nName!\nVersion 2.1\n\nWhat is new\n  red xabc\n\n[ Install ]"))
        let styled = try terminal.styledScreen
        #expect(!styled.contains("\u{1B}[31m"))
        #expect(!styled.contains("\u{1B}[5m"))
        let title = try terminal.value("#{pane_title}")
        #expect(!title.contains("title") && !title.contains("owned"))
        #expect(try terminal.value("#{alternate_on}") == "1")
        try terminal.press("l")
        _ = try terminal.ending()
        #expect(try terminal.isGivenBack)
    }
}

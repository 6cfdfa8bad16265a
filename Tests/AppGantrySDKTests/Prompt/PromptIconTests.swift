import CredentialStorage
import Foundation
import Testing

@testable import AppGantrySDK

@Suite("update prompt: icon", .timeLimit(.minutes(2)))
struct PromptIconTests {
    private static let red = UpdatePromptContent(
        appName: "Example", versionName: "2", iconData: SamplePNG.square(24, red: 255))

    @Test("a terminal that speaks kitty's protocol gets the PNG as it is, and loses it at the end")
    func kitty() async throws {
        let terminal = try PlayedTerminal()
        let before = terminal.modes
        async let outcome = terminal.ask(Self.red, kind: "xterm-kitty")
        try terminal.wait(for: "\u{1B}[c")
        let identifier = try #require(terminal.text.firstMatch(of: /_Ga=q,t=d,f=24,s=1,v=1,i=(\d+);/)).1
        terminal.forget()
        terminal.type("\u{1B}_Gi=\(identifier);OK\u{1B}\\\u{1B}[?62;c")
        try terminal.wait(for: "a=p,q=2,C=1,i=\(identifier),r=4,c=8\u{1B}\\")
        let payload = terminal.text.matches(of: /_G[^;\u{1B}]*m=[01];([^\u{1B}]*)\u{1B}/).map { String($0.1) }.joined()
        #expect(Data(base64Encoded: payload) == Self.red.iconData)
        try terminal.wait(for: "[ Install ]")
        terminal.forget()
        terminal.type("i")
        #expect(await outcome == .install)
        try terminal.wait(for: "a=d,d=I,q=2,i=\(identifier)\u{1B}\\")
        #expect(terminal.modes == before)
        #expect(terminal.unread == 0)
    }

    @Test("a picture that the text is scrolled away from is taken off")
    func scrolledAway() throws {
        let notes = (1...100).map { "line \($0)" }.joined(separator: "\n")
        let icon = TerminalIcon.kitty(KittyIcon(try #require(IconImage(SamplePNG.square(8, red: 1))), 7))
        let screen = PromptScreen(
            content: UpdatePromptContent(appName: "Example", releaseNotes: notes), isAddressable: true, icon: icon)
        var machine = PromptMachine(isMandatory: false)
        let size = TerminalSize(columns: 80, rows: 24)
        #expect(String(decoding: screen.draw(&machine, on: size), as: UTF8.self).contains("a=p,q=2,C=1,i=7"))
        #expect(machine.take(.down) == .redraw)
        let scrolled = String(decoding: screen.draw(&machine, on: size), as: UTF8.self)
        #expect(!scrolled.contains("a=p") && scrolled.contains("a=d,d=i,q=2,i=7"))
    }

    @Test("a large picture goes in pieces that the protocol allows")
    func pieces() throws {
        let data = SamplePNG.square(100, red: 9)
        let image = try #require(IconImage(data))
        let commands = String(decoding: KittyIcon(image, 7).transmission, as: UTF8.self).split(separator: "\u{1B}\\")
        #expect(commands.count == (data.count * 4 / 3 + 4095) / 4096)
        for (index, command) in commands.enumerated() {
            #expect(command.contains(index == commands.count - 1 ? "m=0;" : "m=1;"))
            #expect(try #require(command.split(separator: ";").last).count <= 4096)
        }
    }

    @Test("a terminal that speaks sixel gets the picture in its colours")
    func sixel() async throws {
        let terminal = try PlayedTerminal()
        async let outcome = terminal.ask(Self.red)
        try terminal.wait(for: "\u{1B}[c")
        terminal.type("\u{1B}[?62;4;22c")
        // 80 pixels of four rows are 78 in whole sixels; red is the colour 180 of the cube.
        try terminal.wait(for: "\u{1B}P0;1q\"1;1;78;78#180;2;100;0;0#180!78~$-#180!78~$-")
        try terminal.wait(for: "\u{1B}\\")
        terminal.type("l")
        #expect(await outcome == .later)
        #expect(terminal.unread == 0)
    }

    @Test(
        "a terminal that speaks neither shows no picture, and no answer is left",
        arguments: ["\u{1B}[?1;2c", "\u{1B}[?64;1;2c"])
    func neither(answer: String) async throws {
        let terminal = try PlayedTerminal()
        async let outcome = terminal.ask(Self.red)
        try terminal.wait(for: "\u{1B}[c")
        terminal.type("\u{1B}_Gi=1;ENOTSUP\u{1B}\\\(answer)l")
        #expect(await outcome == .later)
        terminal.drain()
        #expect(!terminal.text.contains("a=p") && !terminal.text.contains("\u{1B}P"))
        #expect(terminal.unread == 0)
    }

    @Test("a terminal that never answers holds nothing up")
    func silent() async throws {
        let terminal = try PlayedTerminal()
        let clock = ContinuousClock()
        let start = clock.now
        async let outcome = terminal.ask(Self.red)
        try terminal.wait(for: "\u{1B}[c")
        terminal.type("i")
        #expect(await outcome == .install)
        #expect(clock.now - start < .seconds(10))
    }

    @Test("an answer that comes after the person's is not left for the next program")
    func lateAnswer() async throws {
        let terminal = try PlayedTerminal()
        async let outcome = terminal.ask(Self.red)
        try terminal.wait(for: "\u{1B}[c")
        terminal.type("i\u{1B}_Gi=1;OK\u{1B}\\\u{1B}[?62;4c")
        #expect(await outcome == .install)
        #expect(terminal.unread == 0)
    }

    @Test("an answer that comes in pieces is never taken for a key")
    func slowAnswer() async throws {
        let terminal = try PlayedTerminal()
        async let outcome = terminal.ask(Self.red)
        try terminal.wait(for: "\u{1B}[c")
        terminal.type("\u{1B}_Gi")
        try await Task.sleep(for: .milliseconds(250))
        terminal.type("=1;OK\u{1B}\\\u{1B}[?62")
        try await Task.sleep(for: .milliseconds(250))
        terminal.type(";4cl")
        #expect(await outcome == .later)
    }

    @Test(
        "without a picture nothing is asked, nor of terminals that would show the question",
        arguments: ["linux", "vt100", "dumb"])
    func notAsked(kind: String) async throws {
        for (content, kind) in [(Self.red, kind), (UpdatePromptContent(appName: "Example"), "xterm")] {
            let terminal = try PlayedTerminal()
            async let outcome = terminal.ask(content, kind: kind)
            try terminal.wait(for: "i: install")
            terminal.type("l")
            #expect(await outcome == .later)
            terminal.drain()
            #expect(!terminal.text.contains("\u{1B}[c") && !terminal.text.contains("\u{1B}_G"))
        }
    }

    @Test("inside a multiplexer only what it answers itself is asked")
    func multiplexer() {
        for (name, value) in [("TMUX", "/tmp/x"), ("STY", "1"), ("TERM", "screen"), ("TERM", "tmux-256color")] {
            let detection = IconDetection(
                Self.red.iconData, Environment { $0 == name ? value : $0 == "TERM" ? "xterm" : nil })
            #expect(detection.question == "\u{1B}[c")
            #expect(detection.cleanup.isEmpty)
        }
    }

    @Test("what is no picture, or too large a one, is left out")
    func bounds() {
        #expect(IconImage(Data()) == nil)
        #expect(IconImage(Data("GIF89a, and a text that is long enough for a header".utf8)) == nil)
        #expect(IconImage(SamplePNG.picture(1025, 1, rows: [])) == nil)
        #expect(IconImage(SamplePNG.picture(1, 0, rows: [])) == nil)
        #expect(IconImage(SamplePNG.picture(1 << 31, 1, rows: [])) == nil)
        #expect(IconImage(SamplePNG.square(8, red: 1) + Data(count: 1 << 20)) == nil)
        #expect(IconImage(SamplePNG.square(8, red: 1)) != nil)
    }

    @Test("a picture is always of the same few cells, and needs room beside the text")
    func cells() throws {
        let icon = TerminalIcon.kitty(KittyIcon(try #require(IconImage(SamplePNG.picture(1000, 10, rows: []))), 7))
        #expect(icon.rows(on: TerminalSize(columns: 80, rows: 24)) == 4)
        #expect(icon.rows(on: TerminalSize(columns: 80, rows: 10)) == nil)
        #expect(icon.rows(on: TerminalSize(columns: 20, rows: 24)) == nil)
        #expect(
            String(decoding: icon.placed(on: TerminalSize(columns: 30, rows: 24)), as: UTF8.self).contains("r=4,c=30"))
    }
}

@Suite("update prompt: pictures")
struct IconPixelsTests {
    private func pixels(_ data: Data) throws -> IconPixels? { IconPixels(try #require(IconImage(data))) }

    @Test(
        "pixels of every colour type and depth are read",
        arguments: [
            (UInt8(0), UInt8(8), [UInt8(0x40), 0x80]), (0, 1, [0b0100_0000]), (0, 2, [0b0111_0000]), (0, 4, [0x5A]),
            (0, 16, [0x40, 1, 0x80, 2]), (2, 8, [1, 2, 3, 4, 5, 6]), (2, 16, [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]),
            (3, 8, [0, 1]), (3, 1, [0b0100_0000]), (4, 8, [7, 8, 9, 10]), (6, 8, [1, 2, 3, 4, 5, 6, 7, 8]),
        ])
    func types(type: UInt8, depth: UInt8, row: [UInt8]) throws {
        let palette: [(String, [UInt8])] = [("PLTE", [10, 20, 30, 40, 50, 60]), ("tRNS", [77])]
        let data = SamplePNG.picture(
            2, 1, depth: depth, type: type, rows: [[0] + row], before: type == 3 ? palette : [])
        let expected: [UInt8] =
            switch (type, depth) {
            case (0, 8), (0, 16): [0x40, 0x40, 0x40, 255, 0x80, 0x80, 0x80, 255]
            case (0, 1): [0, 0, 0, 255, 255, 255, 255, 255]
            case (0, 2): [85, 85, 85, 255, 255, 255, 255, 255]
            case (0, 4): [85, 85, 85, 255, 170, 170, 170, 255]
            case (2, _): [1, 2, 3, 255, 4, 5, 6, 255]
            case (3, _): [10, 20, 30, 77, 40, 50, 60, 255]
            case (4, _): [7, 7, 7, 8, 9, 9, 9, 10]
            default: row
            }
        #expect(try pixels(data)?.values == expected)
    }

    @Test(
        "every filter is undone as another program does it",
        arguments: ["rgb", "rgba", "gray", "palette", "gray-alpha"])
    func python(kind: String) throws {
        let script = """
            import sys, zlib, struct, random
            kind = sys.argv[1]
            kinds = {"gray": (0, 1), "rgb": (2, 3), "palette": (3, 1), "gray-alpha": (4, 2), "rgba": (6, 4)}
            type, step = kinds[kind]
            width, height = 37, 23
            source = random.Random(5)
            # Runs and noise, so that the packer uses both of its kinds of code.
            rows = [bytes(source.choice([7, 7, 7, source.randrange(256)]) for _ in range(width * step)) for _ in range(height)]
            def paeth(a, b, c):
                p = a + b - c
                return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            raw, above = b"", bytes(width * step)
            for y, row in enumerate(rows):
                kind = y % 5
                out = []
                for i, value in enumerate(row):
                    a = row[i - step] if i >= step else 0
                    b = above[i]
                    c = above[i - step] if i >= step else 0
                    out.append((value - [0, a, b, (a + b) // 2, paeth(a, b, c)][kind]) & 255)
                raw += bytes([kind]) + bytes(out)
                above = row
            def chunk(name, data):
                return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
            palette = bytes(source.randrange(256) for _ in range(768))
            packed = zlib.compress(raw, 9)
            png = b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, type, 0, 0, 0))
            png += chunk(b"PLTE", palette) if type == 3 else b""
            png += chunk(b"IDAT", packed[:100]) + chunk(b"IDAT", packed[100:]) + chunk(b"IEND", b"")
            values = []
            for row in rows:
                for i in range(0, len(row), step):
                    p = row[i:i + step]
                    if type == 0: values += [p[0], p[0], p[0], 255]
                    if type == 2: values += [*p, 255]
                    if type == 3: values += [*palette[3 * p[0]:3 * p[0] + 3], 255]
                    if type == 4: values += [p[0], p[0], p[0], p[1]]
                    if type == 6: values += p
            sys.stdout.buffer.write(struct.pack(">I", len(png)) + png + bytes(values))
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", script, kind]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let all = Array(try output.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let length = IconImage.number(all, at: 0)
        #expect(try pixels(Data(all[4..<4 + length]))?.values == Array(all[(4 + length)...]))
    }

    @Test("a damaged picture is left out, and never ends the program")
    func damage() throws {
        let whole = SamplePNG.picture(
            4, 4, depth: 8, type: 3, rows: Array(repeating: [0, 0, 1, 2, 3], count: 4), before: [("PLTE", [1, 2, 3])])
        for index in 0..<whole.count {
            for change: UInt8 in [1, 0x80, 0xFF] {
                var data = whole
                data[index] ^= change
                if let image = IconImage(data) { _ = IconPixels(image) }
            }
            if let image = IconImage(whole.prefix(index)) { _ = IconPixels(image) }
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var packed: [UInt8] = [0x78, 0x01]
            for _ in 0..<60 { packed.append(UInt8.random(in: 0...255, using: &generator)) }
            if let bytes = Inflate.bytes(of: packed, limit: 1000) { #expect(bytes.count <= 1000) }
        }
    }
}

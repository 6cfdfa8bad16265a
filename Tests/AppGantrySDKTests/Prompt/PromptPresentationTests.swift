import Foundation
import Glibc
import Testing

@testable import AppGantrySDK

/// How a presentation behaves for the program that asked for it.
@Suite("update prompt: presentation", .timeLimit(.minutes(2)))
struct PromptPresentationTests {
    private let content = UpdatePromptContent(appName: "Example", versionName: "2")

    @Test("cancellation ends the prompt at once and gives the terminal back", arguments: [true, false])
    func cancellation(hasIcon: Bool) async throws {
        let terminal = try PlayedTerminal()
        let before = terminal.modes
        let content = UpdatePromptContent(appName: "Example", iconData: hasIcon ? SamplePNG.square(8, red: 1) : nil)
        let task = Task { await terminal.ask(content) }
        try terminal.wait(for: "[ Install ]")
        #expect(terminal.modes != before)
        let clock = ContinuousClock()
        let start = clock.now
        task.cancel()
        #expect(await task.value == .undecided)
        #expect(clock.now - start < .seconds(5))
        try terminal.wait(for: "\u{1B}[?1049l")
        #expect(terminal.modes == before)
    }

    @Test("a task that is cancelled before shows nothing")
    func cancelledBefore() async throws {
        let terminal = try PlayedTerminal()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await terminal.ask(content)
        }
        #expect(await task.value == .undecided)
        terminal.drain()
        #expect(terminal.shown.isEmpty)
    }

    @Test("a terminal that takes nothing more does not hold a cancelled prompt")
    func blockedTerminal() async throws {
        let terminal = try PlayedTerminal()
        let notes = String(repeating: "word ", count: 3000)
        let task = Task {
            await terminal.ask(UpdatePromptContent(appName: "Example", releaseNotes: notes))
        }
        try terminal.wait(for: "[ Install ]")
        // Each key draws the screen anew, and nobody reads it.
        for _ in 0..<200 { terminal.type("\t") }
        task.cancel()
        #expect(await task.value == .undecided)
    }

    @Test("prompts of one process come one after the other, and one that waits can be cancelled")
    func turns() async throws {
        let (first, second, third) = (try PlayedTerminal(), try PlayedTerminal(), try PlayedTerminal())
        let one = Task { await first.ask(content) }
        try first.wait(for: "[ Install ]")
        let two = Task { await second.ask(content) }
        let three = Task { await third.ask(content) }
        three.cancel()
        #expect(await three.value == .undecided)
        second.drain()
        #expect(second.shown.isEmpty)
        first.type("i")
        #expect(await one.value == .install)
        try second.wait(for: "[ Install ]")
        second.type("l")
        #expect(await two.value == .later)
        third.drain()
        #expect(third.shown.isEmpty)
    }

    @Test("a terminal that goes away answers nothing", arguments: [true, false])
    func hangUp(isMandatory: Bool) async throws {
        let terminal = try PlayedTerminal()
        let task = Task {
            await terminal.ask(UpdatePromptContent(appName: "Example", isMandatory: isMandatory))
        }
        try terminal.wait(for: "[ Install ]")
        terminal.hangUp()
        #expect(await task.value == .undecided)
    }

    @Test("what was typed before the question is no answer to it")
    func typeAhead() async throws {
        let terminal = try PlayedTerminal()
        terminal.type("i\n")
        let task = Task { await terminal.ask(content) }
        try terminal.wait(for: "[ Install ]")
        terminal.type("l")
        #expect(await task.value == .later)
    }

    @Test("what is typed after the answer is left for who reads next")
    func typedAfter() async throws {
        let terminal = try PlayedTerminal()
        let task = Task { await terminal.ask(content) }
        try terminal.wait(for: "[ Install ]")
        terminal.type("lrest")
        #expect(await task.value == .later)
        #expect(terminal.unread == 4)
    }

    @Test("closures run on the actor of the caller")
    @MainActor
    func isolation() async throws {
        let terminal = try PlayedTerminal()
        var calls = 0
        let view = UpdatePromptView(
            content: content,
            onInstall: {
                MainActor.assertIsolated()
                calls += 1
            })
        let typing = Task.detached {
            // Whatever TERM is here, the question ends so.
            try terminal.wait(for: "l: later")
            terminal.type("i")
        }
        #expect(await view.present(on: terminal.place) == .install)
        try await typing.value
        #expect(calls == 1)
    }

    @Test("an output that nobody reads any more ends nothing but the prompt")
    func brokenPipe() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let view = UpdatePromptView(content: content, onInstall: {})
        #expect(await view.present(on: .init(input: -1, output: ends[1])) == .undecided)
        #expect(await view.present(on: .init(input: -1, output: -1)) == .undecided)
    }
}

import AppGantrySDK
import Foundation
import Glibc
import Testing

/// The rows of the promises about the prompt that need no server and no terminal.
@Suite("update prompt: content")
struct UpdatePromptRowTests {
    private let update = UpdateInfo(
        updateAvailable: true, latestVersionName: "2.1.0", latestBuildNumber: 42, releaseNotes: "Faster.",
        isMandatory: true)
    private let metadata = AppMetadata(name: "Example", latestVersionName: "2.0.9", latestBuildNumber: 41)

    /// What a program writes that shows a prompt on something that is no terminal.
    private func printed(_ content: UpdatePromptContent) async throws -> (
        text: String, outcome: UpdatePromptView.Outcome
    ) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw TerminalProblem("pipe: \(errno)") }
        defer { close(ends[0]) }
        let view = UpdatePromptView(
            content: content, onInstall: { Issue.record("onInstall ran") }, onLater: { Issue.record("onLater ran") })
        let outcome = await view.present(on: .init(input: ends[0], output: ends[1]))
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = read(ends[0], &bytes, bytes.count)
        return (String(decoding: bytes[..<max(0, count)], as: UTF8.self), outcome)
    }

    @Test("P1: nothing is shown where no update is available")
    func unavailable() async throws {
        let (text, outcome) = try await printed(UpdatePromptContent(update: UpdateInfo(updateAvailable: false)))
        #expect(text.isEmpty)
        #expect(outcome == .undecided)
        #expect(try await printed(UpdatePromptContent(update: update)).text.contains("2.1.0"))
    }

    @Test("P2: the view and a program's own prompt say the same from the same answers")
    func twoWays() async throws {
        let own = [metadata.name, update.latestVersionName ?? metadata.latestVersionName, update.releaseNotes]
        let (text, _) = try await printed(UpdatePromptContent(update: update, metadata: metadata))
        for part in own { #expect(text.contains(try #require(part))) }
    }

    @Test("P3: there is nothing to conform to, only closures and an answer")
    func noDelegate() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/AppGantrySDK/Prompt")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            count += 1
            #expect(!String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("public protocol"))
        }
        #expect(count > 5)
    }

    @Test("P8: contents are compared by all of their parts, and may be sent to other tasks")
    func equality() {
        func isSendable(_: some Sendable & Equatable) {}
        let content = UpdatePromptContent(update: update, metadata: metadata, iconData: Data([1]))
        isSendable(content)
        #expect(content == UpdatePromptContent(update: update, metadata: metadata, iconData: Data([1])))
        #expect(content != UpdatePromptContent(update: update, metadata: metadata, iconData: Data([2])))
        #expect(content != UpdatePromptContent(update: update, iconData: Data([1])))
        let parts = [
            UpdatePromptContent(appName: "a"), UpdatePromptContent(appName: "b"),
            UpdatePromptContent(appName: "a", versionName: "1"), UpdatePromptContent(appName: "a", buildNumber: 1),
            UpdatePromptContent(appName: "a", releaseNotes: "n"), UpdatePromptContent(appName: "a", isMandatory: true),
            UpdatePromptContent(appName: "a", iconData: Data()),
        ]
        for (index, one) in parts.enumerated() {
            for (other, another) in parts.enumerated() { #expect((one == another) == (index == other)) }
        }
    }

    @Test("P9: metadata and icon may be added to an update, each by itself")
    func fromUpdate() {
        let icon = Data([1, 2])
        let alone = UpdatePromptContent(update: update)
        #expect(alone.iconData == nil)
        #expect(alone.versionName == "2.1.0")
        #expect(alone.buildNumber == 42)
        #expect(alone.releaseNotes == "Faster.")
        #expect(alone.isMandatory)
        #expect(UpdatePromptContent(update: update, metadata: metadata).appName == "Example")
        #expect(UpdatePromptContent(update: update, metadata: metadata).iconData == nil)
        #expect(UpdatePromptContent(update: update, iconData: icon).iconData == icon)
        #expect(UpdatePromptContent(update: update, iconData: icon).appName == alone.appName)
        let both = UpdatePromptContent(update: update, metadata: metadata, iconData: icon)
        #expect(both.appName == "Example")
        #expect(both.iconData == icon)
    }

    @Test("P10: of the parts only the name is needed, and nothing is mandatory unless said")
    func fromParts() {
        let content = UpdatePromptContent(appName: "Example")
        #expect(content.appName == "Example")
        #expect(content.versionName == nil)
        #expect(content.buildNumber == nil)
        #expect(content.releaseNotes == nil)
        #expect(!content.isMandatory)
        #expect(content.iconData == nil)
        let full = UpdatePromptContent(
            appName: "Example", versionName: "1", buildNumber: 2, releaseNotes: "n", isMandatory: true,
            iconData: Data([3]))
        #expect(full.versionName == "1")
        #expect(full.buildNumber == 2)
        #expect(full.releaseNotes == "n")
        #expect(full.isMandatory)
        #expect(full.iconData == Data([3]))
    }

    @Test("P11: without a name from the server the app goes by the name of its process")
    func processName() async throws {
        let name = try #require(CommandLine.arguments[0].split(separator: "/").last)
        #expect(UpdatePromptContent(update: update).appName == name)
        #expect(UpdatePromptContent(update: update, metadata: AppMetadata(name: "")).appName == name)
        // A name of which nothing is left to see is none either.
        let hidden = try await printed(UpdatePromptContent(appName: "\u{1B}[31m\u{200B}"))
        #expect(hidden.text.contains(name))
    }

    @Test("P18: what a program's own prompt needs can be read from the answers")
    func fields() {
        #expect(metadata.name == "Example")
        #expect(metadata.latestVersionName == "2.0.9")
        #expect(update.latestVersionName == "2.1.0")
        #expect(update.releaseNotes == "Faster.")
        #expect(update.isMandatory)
    }

    @Test("P19: the version is the update's own, and the metadata's where it names none")
    func version() {
        let nameless = UpdateInfo(updateAvailable: true)
        #expect(UpdatePromptContent(update: update, metadata: metadata).versionName == "2.1.0")
        #expect(UpdatePromptContent(update: update, metadata: metadata).buildNumber == 42)
        #expect(UpdatePromptContent(update: nameless, metadata: metadata).versionName == "2.0.9")
        #expect(UpdatePromptContent(update: nameless, metadata: metadata).buildNumber == 41)
        #expect(UpdatePromptContent(update: nameless).versionName == nil)
        // The number of another release does not stand beside the update's name.
        let named = UpdateInfo(updateAvailable: true, latestVersionName: "2.1.0")
        #expect(UpdatePromptContent(update: named, metadata: metadata).buildNumber == nil)
    }

    @Test("P20: notes may be missing, and an update says whether it can be put off")
    func notesAndDuty() {
        let update = UpdateInfo(updateAvailable: true)
        #expect(update.releaseNotes == nil)
        #expect(!update.isMandatory)
        #expect(UpdatePromptContent(update: update).releaseNotes == nil)
        #expect(UpdatePromptContent(update: self.update).isMandatory)
    }

    @Test("P23: the fields that are ours are kept by what codes them")
    func ownFields() throws {
        let full = UpdateInfo(
            updateAvailable: true, latestVersionName: "2", latestBuildNumber: 3, releaseID: "r", releaseNotes: "n",
            isMandatory: true)
        #expect(try JSONDecoder().decode(UpdateInfo.self, from: JSONEncoder().encode(full)) == full)
        let app = AppMetadata(name: "n", latestVersionName: "2", latestBuildNumber: 3, iconURL: "/icon")
        #expect(try JSONDecoder().decode(AppMetadata.self, from: JSONEncoder().encode(app)) == app)
    }
}

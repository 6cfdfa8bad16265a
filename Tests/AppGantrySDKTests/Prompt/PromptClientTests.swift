import AppGantrySDK
import CredentialStorage
import CredentialTestSupport
import Foundation
import Testing

/// The rows about the prompt that need a server.
@Suite("update prompt: client", .serialized, .timeLimit(.minutes(2)))
struct PromptClientTests {
    private let server: UpdateServer

    init() async throws {
        server = try UpdateServer()
        try await server.set(
            #"{"valid": ["held"], "update": {"updateAvailable": true, "releaseID": "r1", "latestVersionName": "2.1.0"}, "#
                + #""files": {"r1": {"text": "new program"}, "icon": {"text": "icon bytes"}}, "download": {"r1": {"url": "/files/r1", "kind": "appimage"}}}"#
        )
    }

    private func client(_ way: InstallHandOver? = nil) throws -> AppGantryUpdates {
        var configuration = server.configuration()
        configuration.installHandOver = way
        let store = InMemoryTokenStore()
        try store.save(SDKInstallToken(value: "held"))
        return AppGantryUpdates(configuration: configuration, tokenStore: store)
    }

    @Test("P12: check, metadata, icon, content and view follow one another as programs for other platforms have it")
    func order() async throws {
        let updates = try client()
        let info = try await updates.checkForUpdate()
        guard info.updateAvailable else { return }

        let metadata = try await updates.appMetadata()
        let icon = try await updates.iconData(for: metadata)
        let content = UpdatePromptContent(update: info, metadata: metadata, iconData: icon)

        UpdatePromptView(
            content: content,
            onInstall: { Task { try await updates.beginInstall(for: info) } },
            onLater: {}
        )
        #expect(try await server.calls() == ["updates", "app", "file"])
        #expect(
            content == UpdatePromptContent(appName: "Example", versionName: "2.1.0", iconData: Data("icon bytes".utf8)))
    }

    @Test("P13: an app without an icon gives nil, which is no error and makes a prompt without one")
    func noIcon() async throws {
        try await server.set(#"{"app": {"name": "Example"}}"#)
        let updates = try client()
        let metadata = try await updates.appMetadata()
        let icon = try await updates.iconData(for: metadata)
        #expect(icon == nil)
        #expect(
            UpdatePromptContent(update: try await updates.checkForUpdate(), metadata: metadata, iconData: icon).iconData
                == nil)
    }

    @Test("P21: an install begins in the same way from the view and from a program's own prompt")
    func beginInstall() async throws {
        let handed = Locked(0)
        let updates = try client(InstallHandOver([.appImage]) { _, _ in handed.withLock { $0 += 1 } })
        let info = try await updates.checkForUpdate()
        #expect(try await updates.beginInstall(for: info))
        #expect(handed.withLock { $0 } == 1)

        let terminal = try PlayedTerminal()
        var install: Task<Bool, any Error>?
        let view = UpdatePromptView(
            content: UpdatePromptContent(update: info),
            onInstall: { install = Task { try await updates.beginInstall(for: info) } })
        let typing = Task.detached {
            try terminal.wait(for: "l: later")
            terminal.type("i")
        }
        #expect(await view.present(on: terminal.place) == .install)
        try await typing.value
        #expect(try await #require(install).value)
        #expect(handed.withLock { $0 } == 2)
        // Where the app named no way, either prompt falls back to a download of its own.
        #expect(try await client().beginInstall(for: info) == false)
    }

    @Test("P22: what becomes of an install can be told to the server from a prompt")
    func lifecycle() async throws {
        let updates = try client()
        let release = try #require(try await updates.checkForUpdate().releaseID)
        for stage in [InstallStage.started, .downloaded, .completed] {
            try await updates.reportInstall(stage, forRelease: release)
        }
        let told = try await server.requests().filter { $0.call == "installs" }
        #expect(told.count == 3)
        for (request, stage) in zip(told, ["started", "downloaded", "completed"]) {
            #expect(request.body.contains("\"\(stage)\"") && request.body.contains("\"r1\""))
        }
    }

    @Test(
        "the example asks before it fetches", .enabled(if: Tmux.isThere, "tmux is not installed"),
        arguments: ["i", "l"])
    func example(key: String) async throws {
        let home = try UpdateHome()
        let file = "\(home.path)/release"
        let terminal = try Tmux(
            program: "UpdateCheck", server.base.absoluteString, file,
            environment: [
                "HOME": "\(home.path)/home", "XDG_DATA_HOME": "\(home.path)/data",
                "XDG_CONFIG_HOME": "\(home.path)/config",
            ])
        let screen = try terminal.wait(for: "[ Install ]")
        #expect(screen.hasPrefix("An update is available\nExample\nVersion 2.1.0\n"))
        try terminal.press(key)
        #expect(try terminal.ending().contains("exit 0"))
        #expect(FileManager.default.fileExists(atPath: file) == (key == "i"))
        #expect(try terminal.isGivenBack)
    }
}

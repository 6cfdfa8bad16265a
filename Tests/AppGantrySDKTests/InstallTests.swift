import AppGantrySDK
import CredentialStorage
import CredentialTestSupport
import Foundation
import Testing

/// The hand-over of a release to what installs it.
@Suite("beginInstall", .serialized, .timeLimit(.minutes(2)))
struct InstallTests {
    private let server: UpdateServer
    private let directory: String
    private let info = UpdateInfo(updateAvailable: true, releaseID: "r1")

    init() async throws {
        server = try UpdateServer()
        directory = try TemporaryDirectory().path
        try await server.set(
            #"{"valid": ["held"], "files": {"r1": {"text": "new program"}}, "#
                + #""download": {"r1": {"url": "/files/r1", "kind": "appimage"}, "r2": {"url": "/files/r1"}}}"#)
    }

    private func client(_ way: InstallHandOver?) throws -> AppGantryUpdates {
        var configuration = server.configuration()
        configuration.installHandOver = way
        let store = InMemoryTokenStore()
        try store.save(SDKInstallToken(value: "held"))
        return AppGantryUpdates(configuration: configuration, tokenStore: store)
    }

    @Test("T49: a release with no way to install itself is false, and no error")
    func noWay() async throws {
        #expect(try await client(nil).beginInstall(for: info) == false)
        #expect(try await server.calls().isEmpty)
        let deb = try client(.command(["true"], for: [.deb]))
        #expect(try await deb.beginInstall(for: info) == false)
        let unnamed = UpdateInfo(updateAvailable: true, releaseID: "r2")
        #expect(try await deb.beginInstall(for: unnamed) == false)
        #expect(try await deb.beginInstall(for: UpdateInfo(updateAvailable: true)) == false)
        #expect(try await deb.beginInstall(for: UpdateInfo(updateAvailable: false, releaseID: "r1")) == false)
        #expect(try await server.calls() == ["download", "download"])
    }

    @Test("T49: an AppImage is put in the place of the present one, whole and runnable")
    func appImage() async throws {
        let present = directory + "/App.AppImage"
        try Data("old program".utf8).write(to: URL(fileURLWithPath: present))
        #expect(try await client(.appImage(at: present)).beginInstall(for: info))
        #expect(try String(contentsOfFile: present, encoding: .utf8) == "new program")
        let mode = try FileManager.default.attributesOfItem(atPath: present)[.posixPermissions] as? Int
        #expect(mode == 0o755)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["App.AppImage"])
    }

    @Test("T49: a command gets the file as its last argument, and its failure is an error")
    func command() async throws {
        let copy = directory + "/copy"
        let works = try client(.command(["cp", "-t", directory], for: [.appImage]))
        #expect(try await works.beginInstall(for: info))
        let name = directory + "/release.AppImage"
        #expect(try String(contentsOfFile: name, encoding: .utf8) == "new program")
        let fails = try client(.command(["sh", "-c", "exit 3"], for: [.appImage]))
        #expect(
            await failure { try await fails.beginInstall(for: info) }
                == .transport("the installer ended with status 3"))
        let missing = try client(.command([directory + "/none"], for: [.appImage]))
        #expect(
            await failure { try await missing.beginInstall(for: info) }
                == .transport("the installer could not be started"))
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test("T49: a function of the app's own sees the file, which is gone afterwards")
    func ownWay() async throws {
        let seen = Locked<URL?>(nil)
        let way = InstallHandOver([.appImage]) { file, update in
            #expect(update.releaseID == "r1")
            #expect(FileManager.default.fileExists(atPath: file.path))
            seen.withLock { $0 = file }
        }
        #expect(try await client(way).beginInstall(for: info))
        let file = try #require(seen.withLock { $0 })
        #expect(!FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path))
    }
}

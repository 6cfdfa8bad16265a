internal import CredentialStorage
package import Foundation

/// KWallet without a display, with one wallet that opens without a dialog.
package final class KWallet: Sendable {
    package let bus: PrivateBus
    private let process = Locked<pid_t>(0)
    private let password: String

    package var processIdentifier: pid_t { process.withLock { $0 } }

    private var folder: String { bus.dataHome + "/kwalletd" }
    private var salt: String { folder + "/kdewallet.salt" }

    private static let settings = """
        [Wallet]
        Enabled=true
        First Use=false
        Prompt on Open=false
        Use One Wallet=true
        Default Wallet=kdewallet
        Leave Open=true
        Close When Idle=false
        Close on Screensaver=false
        Launch Manager=false
        [org.freedesktop.secrets]
        apiEnabled=true

        """

    /// Makes a wallet and starts the daemon with it.
    ///
    /// - Parameters:
    ///   - password: Its password; with an empty one it opens at the first wish, otherwise only after ``open()``.
    ///   - bus: The bus; one of its own unless given.
    /// - Throws: When it does not come up.
    package init(password: String = "", on bus: PrivateBus? = nil) throws {
        self.bus = try bus ?? PrivateBus()
        self.password = password
        try Data(Self.settings.utf8).write(to: URL(fileURLWithPath: self.bus.directory + "/config/kwalletrc"))
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data((0..<56).map { _ in UInt8.random(in: 0...255) }).write(to: URL(fileURLWithPath: salt))
        // The run that makes the wallet does not show it as a collection; the next one does.
        try launch()
        try open()
        try kill()
        try launch()
        _ = try self.bus.awaitDefaultCollection(locked: true)
    }

    private func launch() throws {
        let started = try bus.start(["kwalletd5"], log: "kwallet.log")
        process.withLock { $0 = started }
        try bus.awaitOwner(started)
        try bus.awaitName("org.kde.kwalletd5")
    }

    /// Opens the wallet as the login module does.
    package func open() throws {
        guard try bus.ask("open_wallet", ["wallet": "kdewallet", "salt": salt, "password": password], as: Bool.self)
        else { throw BusAgent.Failure(name: "wallet", text: "does not open") }
    }

    /// Ends the daemon as a crash would.
    package func kill() throws {
        try bus.kill(processIdentifier)
        try bus.awaitName(isPresent: false)
    }

    /// Ends the daemon as a crash would, and starts another over the same files.
    package func restart() throws {
        try kill()
        try launch()
        _ = try bus.awaitDefaultCollection(locked: true)
    }
}

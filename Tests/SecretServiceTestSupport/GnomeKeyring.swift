internal import CredentialStorage
package import Foundation

/// gnome-keyring on a private bus.
package final class GnomeKeyring: Sendable {
    /// How the daemon is started.
    package enum Start: Sendable {
        /// The login keyring is made, or opened, with this password.
        case unlocked(String)
        /// Nothing is opened; without any keyring there is no default collection.
        case locked
        /// A default keyring without a password, in a text file; it starts locked, and opens without a prompt.
        case passwordless
    }

    /// What can leave the daemon no room for what it writes.
    package enum Shortage: Sendable, CaseIterable {
        /// A small disk of its own, which not everybody may mount.
        case disk
        /// A limit on the size of its files.
        case limit

        package static var possible: [Shortage] { geteuid() == 0 ? allCases : [.limit] }
    }

    package let bus: PrivateBus
    private let process = Locked<pid_t>(0)
    private let shortage: Shortage?

    package var processIdentifier: pid_t { process.withLock { $0 } }

    /// Starts the daemon on a bus, and waits until it can be used.
    ///
    /// - Parameters:
    ///   - start: How it is started.
    ///   - bus: The bus; one of its own unless given.
    ///   - shortage: What ``setFull(_:)`` will take away.
    /// - Throws: When it does not come up.
    package init(
        _ start: Start = .unlocked("password"), on bus: PrivateBus? = nil, shortage: Shortage? = nil
    ) throws {
        self.bus = try bus ?? PrivateBus()
        self.shortage = shortage
        if case .passwordless = start { try writeTextKeyring() }
        try launch(start)
    }

    private var keyrings: String { bus.dataHome + "/keyrings" }

    private func writeTextKeyring() throws {
        try FileManager.default.createDirectory(
            atPath: keyrings, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let text = "[keyring]\ndisplay-name=Login\nctime=0\nmtime=0\nlock-on-idle=false\nlock-after=false\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: keyrings + "/login.keyring"))
    }

    private func launch(_ start: Start) throws {
        let common = ["--foreground", "--components=secrets"]
        let started =
            if case .unlocked(let password) = start {
                try bus.start(
                    prefix + ["gnome-keyring-daemon", "--unlock"] + common, log: "gnome-keyring.log", input: password)
            } else {
                try bus.start(prefix + ["gnome-keyring-daemon", "--start"] + common, log: "gnome-keyring.log")
            }
        process.withLock { $0 = started }
        try bus.awaitOwner(started)
        let hasKeyring = FileManager.default.fileExists(atPath: keyrings + "/login.keyring")
        if case .unlocked = start {
            _ = try bus.awaitDefaultCollection(locked: false)
        } else if hasKeyring {
            _ = try bus.awaitDefaultCollection(locked: true)
        }
    }

    /// The program before the daemon's own, which becomes the daemon.
    private var prefix: [String] {
        switch shortage {
        case nil: []
        case .disk:
            [
                "unshare", "--mount", "sh", "-c",
                "mkdir -p \"$1\" && mount -t tmpfs -o size=64k,mode=700 small \"$1\" && shift && exec \"$@\"", "sh",
                keyrings,
            ]
        case .limit: ["sh", "-c", "trap '' XFSZ && exec \"$@\"", "sh"]
        }
    }

    /// Leaves no room for what the daemon writes, or gives it room again.
    package func setFull(_ isFull: Bool) throws {
        let result: BusProgram
        if shortage == .limit {
            let limit = isFull ? "0" : "unlimited"
            result = try bus.run(["prlimit", "--pid", "\(processIdentifier)", "--fsize=\(limit):unlimited"])
        } else {
            // The disk is one that only the daemon sees.
            let filler = "/proc/\(processIdentifier)/root\(keyrings)/filler"
            let fill = "! cat /dev/zero > \"$1\" 2>&1"
            result = try bus.run(["sh", "-c", isFull ? fill : "rm \"$1\"", "sh", filler])
        }
        guard result.status == 0 else { throw BusAgent.Failure(name: "room", text: result.errors) }
    }

    /// Ends the daemon as a crash would.
    package func kill() throws {
        try bus.kill(processIdentifier)
        try bus.awaitName(isPresent: false)
    }

    /// Ends the daemon as a crash would, and starts another over the same files.
    package func restart(_ start: Start) throws {
        try kill()
        try launch(start)
    }

    /// Starts the daemon again after ``kill()``.
    package func start(_ start: Start) throws { try launch(start) }

    /// Stops the daemon where it is, or lets it go on.
    package func setStopped(_ isStopped: Bool) throws {
        try bus.signal(isStopped ? SIGSTOP : SIGCONT, to: processIdentifier)
    }

    /// Opens a collection as the prompter would.
    package func unlock(_ collection: String, password: String = "password") throws {
        _ = try bus.agent.ask("unlock_with_password", ["path": collection, "password": password])
    }

    package func lockDefault() throws { try bus.lock(try bus.defaultCollection()) }

    package func unlockDefault(password: String = "password") throws {
        try unlock(try bus.defaultCollection(), password: password)
    }

    /// Makes a collection without the prompter.
    ///
    /// - Parameters:
    ///   - label: Its label.
    ///   - password: Its password; empty for none.
    /// - Returns: Its path.
    /// - Throws: What the daemon answered.
    @discardableResult
    package func makeCollection(_ label: String, password: String = "password") throws -> String {
        try bus.ask("create_collection", ["label": label, "password": password], as: String.self)
    }
}

internal import CredentialStorage
package import Foundation

/// KeePassXC without a display, with one database open to the Secret Service.
package final class KeePassXC: Sendable {
    package let bus: PrivateBus
    private let process = Locked<pid_t>(0)
    private let settings: Settings

    /// What the program asks a person for, and how it saves.
    package struct Settings: Sendable {
        /// Whether each access by a stranger needs a dialog; nobody is there to answer it.
        package var confirmsAccess = false
        /// Whether a search first tries to open what is locked.
        package var unlocksBeforeSearch = false
        /// Whether each change is saved; bursts of changes crash version 2.7.4 then.
        package var savesEachChange = false

        package init(confirmsAccess: Bool = false, unlocksBeforeSearch: Bool = false, savesEachChange: Bool = false) {
            self.confirmsAccess = confirmsAccess
            self.unlocksBeforeSearch = unlocksBeforeSearch
            self.savesEachChange = savesEachChange
        }

        var text: String {
            """
            [General]
            ConfigVersion=2
            SingleInstance=false
            OpenPreviousDatabasesOnStartup=false
            UpdateCheckMessageShown=true
            AutoSaveAfterEveryChange=\(savesEachChange)
            AutoSaveOnExit=true
            [GUI]
            CheckForUpdates=false
            [FdoSecrets]
            Enabled=true
            ShowNotification=false
            ConfirmAccessItem=\(confirmsAccess)
            ConfirmDeleteItem=false
            UnlockBeforeSearch=\(unlocksBeforeSearch)
            [Security]
            LockDatabaseIdle=false
            LockDatabaseScreenLock=false

            """
        }
    }

    package var processIdentifier: pid_t { process.withLock { $0 } }

    private static let password = "password"
    private var database: String { bus.directory + "/store.kdbx" }

    /// Makes a database whose root group is open to the Secret Service, and starts the program with it.
    ///
    /// - Parameters:
    ///   - settings: What the program asks for.
    ///   - bus: The bus; one of its own unless given.
    /// - Throws: When it does not come up.
    package init(_ settings: Settings = Settings(), on bus: PrivateBus? = nil) throws {
        self.bus = try bus ?? PrivateBus()
        self.settings = settings
        try makeDatabase()
        try Data(settings.text.utf8).write(to: URL(fileURLWithPath: self.bus.directory + "/keepassxc.ini"))
        try launch(unlocked: true)
    }

    private func makeDatabase() throws {
        let twice = Data("\(Self.password)\n\(Self.password)\n".utf8)
        let fresh = bus.directory + "/fresh.kdbx"
        try tool(["db-create", "-q", "-p", "-t", "100", fresh], input: twice)
        var text = try tool(["export", "-q", "-f", "xml", fresh], input: Data("\(Self.password)\n".utf8)).text
        let exposed = try Self.firstGroup(in: text)
        guard let end = text.range(of: "</Meta>") else { throw BusAgent.Failure(name: "export", text: "no Meta") }
        text.insert(
            contentsOf: "<CustomData><Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{\(exposed)}</Value></Item>"
                + "</CustomData>",
            at: end.lowerBound)
        let xml = bus.directory + "/store.xml"
        try Data(text.utf8).write(to: URL(fileURLWithPath: xml))
        try tool(["import", "-q", "-p", "-t", "100", xml, database], input: twice)
    }

    @discardableResult
    private func tool(_ arguments: [String], input: Data) throws -> BusProgram {
        let result = try bus.run(["keepassxc-cli"] + arguments, input: input)
        guard result.status == 0 else { throw BusAgent.Failure(name: arguments[0], text: result.errors) }
        return result
    }

    /// The identifier of the root group, as the program writes it elsewhere.
    private static func firstGroup(in xml: String) throws -> String {
        guard let group = xml.range(of: "<Group>"),
            let start = xml.range(of: "<UUID>", range: group.upperBound..<xml.endIndex),
            let end = xml.range(of: "</UUID>", range: start.upperBound..<xml.endIndex),
            let bytes = Data(base64Encoded: String(xml[start.upperBound..<end.lowerBound])), bytes.count == 16
        else { throw BusAgent.Failure(name: "export", text: "no group") }
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
            .map { $0.joined() }.joined(separator: "-")
    }

    private func launch(unlocked: Bool) throws {
        let files = ["--config", bus.directory + "/keepassxc.ini", "--localconfig", bus.directory + "/local.ini"]
        let input = unlocked ? "\(Self.password)\n" : nil
        let started = try bus.start(
            ["keepassxc"] + files + (unlocked ? ["--pw-stdin"] : []) + [database], log: "keepassxc.log", input: input)
        process.withLock { $0 = started }
        try bus.awaitOwner(started)
        if unlocked { _ = try bus.awaitDefaultCollection(locked: false) }
    }

    /// Ends the program in good order, so that it saves, and starts it again.
    package func restart(unlocked: Bool = true) throws {
        try bus.signal(SIGTERM, to: processIdentifier)
        if try bus.exitStatus(of: processIdentifier, within: 10) == nil { try bus.kill(processIdentifier) }
        try bus.awaitName(isPresent: false)
        try launch(unlocked: unlocked)
    }

    /// Starts the program again after ``kill()``.
    package func start(unlocked: Bool = true) throws { try launch(unlocked: unlocked) }

    /// Ends the program as a crash would.
    package func kill() throws {
        try bus.kill(processIdentifier)
        try bus.awaitName(isPresent: false)
    }
}

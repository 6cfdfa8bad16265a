package import CredentialStorage
internal import CredentialTestSupport
package import Foundation

/// A message bus of its own, with a home and a runtime directory of its own for everything on it.
///
/// No service of the machine is reachable on it. Everything that was started here ends with this object, and with the
/// test process, however that ends.
package final class PrivateBus: Sendable {
    /// The directory of everything here; it goes away with the process.
    package let directory: String
    /// The variables with which clients and providers reach this bus and their files.
    package let variables: [String: String]

    let agent: BusAgent

    /// The variables as the library reads them.
    package var environment: Environment {
        let variables = variables
        return Environment { variables[$0] }
    }

    package var address: String { variables["DBUS_SESSION_BUS_ADDRESS"] ?? "" }
    package var home: String { directory + "/home" }
    package var dataHome: String { directory + "/data" }

    /// Starts a bus.
    ///
    /// - Parameters:
    ///   - policy: What it allows and can start.
    ///   - variables: More variables for what runs on it.
    /// - Throws: When it cannot be started.
    package init(_ policy: BusPolicy = BusPolicy(), variables: [String: String] = [:]) throws {
        directory = try TemporaryDirectory().path
        for name in ["home", "runtime", "config", "data", "cache", "services"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(name)", withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        for service in policy.services {
            let text = "[D-BUS Service]\nName=\(service.name)\nExec=\(service.command)\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/services/\(service.name).service"))
        }
        let socket = directory + "/bus"
        self.variables = [
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(socket)",
            "HOME": directory + "/home", "XDG_RUNTIME_DIR": directory + "/runtime",
            "XDG_CONFIG_HOME": directory + "/config", "XDG_DATA_HOME": directory + "/data",
            "XDG_CACHE_HOME": directory + "/cache", "QT_QPA_PLATFORM": "offscreen", "LC_ALL": "C.UTF-8",
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
        ].merging(variables) { $1 }
        agent = try BusAgent(directory: directory)
        _ = try agent.ask(
            "bus",
            [
                "configuration": policy.configuration(socket: socket, serviceFolder: directory + "/services"),
                "environment": self.variables,
            ])
    }

    /// Ends the bus and everything on it.
    package func end() { agent.end() }

    /// Ends the bus itself and leaves the rest alone.
    package func endDaemon() throws {
        try kill(try ask("daemon_pid", as: Int32.self))
    }

    /// Stops the bus itself where it is, or lets it go on; until then nothing that is asked over it is answered.
    package func setStopped(_ isStopped: Bool) throws {
        try signal(isStopped ? SIGSTOP : SIGCONT, to: try ask("daemon_pid", as: Int32.self))
    }

    // MARK: Processes

    /// Starts a program that stays.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - log: The name of the file for what it prints.
    ///   - input: What it reads from standard input.
    ///   - variables: More variables for it.
    /// - Returns: Its process number.
    /// - Throws: When it cannot be started.
    package func start(
        _ command: [String],
        log: String,
        input: String? = nil,
        variables: [String: String] = [:]
    ) throws -> pid_t {
        var arguments: [String: Any] = ["command": command, "log": log, "environment": variables]
        if let input { arguments["text"] = input }
        return try ask("start", arguments, as: Int32.self)
    }

    /// How a process that was started here ended, or `nil` when it did not within the time; a signal is negative.
    package func exitStatus(of process: pid_t, within seconds: Double) throws -> Int32? {
        (try agent.ask("wait", ["pid": process, "seconds": seconds]) as? NSNumber)?.int32Value
    }

    /// Sends a signal to a process that was started here.
    package func signal(_ number: Int32, to process: pid_t) throws {
        _ = try agent.ask("signal", ["pid": process, "number": number])
    }

    /// Ends a process without giving it a chance to clean up, and waits until it is gone.
    package func kill(_ process: pid_t) throws {
        _ = try agent.ask("kill", ["pid": process])
    }

    /// What a program that was started here printed until now.
    package func log(_ name: String) -> String {
        let data = try? Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    // MARK: Asking

    func ask<R>(_ command: String, _ arguments: [String: Any] = [:], as type: R.Type) throws -> R {
        let answer = try agent.ask(command, arguments)
        if let number = answer as? NSNumber, type == Int32.self, let result = number.int32Value as? R { return result }
        guard let result = answer as? R else {
            throw BusAgent.Failure(name: "answer", text: "\(command) gave something else than \(type)")
        }
        return result
    }
}

internal import CBenchmarkBus
internal import FoundationEssentials
internal import Glibc

/// A message bus of its own with gnome-keyring on it, whose default collection is encrypted and holds the entries.
///
/// One for each process, and before anything in it speaks to a bus: the libraries keep the first address they see.
final class Keyring {
    private let bus: Child
    private let daemon: Child
    /// Plain calls to the provider.
    let raw: OpaquePointer

    init(_ workload: Workload?, in directory: String, runtime: String) throws {
        for (variable, name) in [
            ("HOME", "home"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config"), ("XDG_CACHE_HOME", "cache"),
        ] {
            try makeDirectory("\(directory)/\(name)")
            setenv(variable, "\(directory)/\(name)", 1)
        }
        try makeDirectory(runtime)
        setenv("XDG_RUNTIME_DIR", runtime, 1)
        try makeDirectory(directory + "/data/keyrings")
        try Self.write(Self.text(of: workload), to: directory + "/data/keyrings/bench.keyring")
        try Self.write("bench", to: directory + "/data/keyrings/default")
        try Self.write(Self.configuration(runtime), to: directory + "/bus.conf")

        let address = try Pipe()
        bus = try Child(
            guarded(["dbus-daemon", "--config-file=\(directory)/bus.conf", "--nofork", "--print-address=1"]),
            output: address.writing, errors: false)
        address.closeWriting()
        guard let line = address.readLine() else { throw Failure("the message bus does not start") }
        address.closeReading()
        setenv("DBUS_SESSION_BUS_ADDRESS", line, 1)

        let password = try Pipe()
        password.write("benchmark")
        daemon = try Child(
            guarded(["gnome-keyring-daemon", "--unlock", "--components=secrets", "--foreground"]),
            input: password.reading, errors: false)
        password.closeWriting()
        password.closeReading()
        // Ten thousand entries take it seconds to read.
        let wait = ["gdbus", "wait", "--session", "--timeout", "200", "org.freedesktop.secrets"]
        try runProgram(wait, within: 210) { _ in }
        guard let raw = raw_open() else { throw Failure("the provider opens no session") }
        self.raw = raw
        // The text has no password; with one, the provider keeps the entries as it does for people.
        try check(raw_set_password(raw, "benchmark") == 0, "the collection takes no password")
    }

    deinit {
        raw_close(raw)
        daemon.end()
        bus.end()
    }

    /// A keyring without a password, which gnome-keyring keeps as text: how thousands of entries get into it at once.
    private static func text(of workload: Workload?) -> String {
        var text = "[keyring]\ndisplay-name=bench\nctime=0\nmtime=0\nlock-on-idle=false\nlock-after=false\n"
        for (number, name) in (workload?.names ?? []).enumerated() {
            let value = String(decoding: workload?.value(number) ?? Data(), as: UTF8.self)
            text += "\n[\(number + 1)]\nitem-type=0\ndisplay-name=service: \(name)\nsecret=\(value)\nmtime=0\nctime=0\n"
            let attributes = [
                ("account", name), ("service", "service"), ("xdg:schema", "org.swift-credential-storage.Entry"),
            ]
            for (place, attribute) in attributes.enumerated() {
                text += "\n[\(number + 1):attribute\(place)]\nname=\(attribute.0)\ntype=string\nvalue=\(attribute.1)\n"
            }
        }
        return text
    }

    /// A bus with the limits that a session's bus has: libsecret asks for a thousand entries in a thousand calls at once.
    private static func configuration(_ runtime: String) -> String {
        let sizes = ["max_incoming_bytes", "max_outgoing_bytes", "max_message_size"]
        let counts = [
            "max_replies_per_connection", "max_match_rules_per_connection", "max_completed_connections",
            "max_connections_per_user",
        ]
        let limits =
            sizes.map { "<limit name=\"\($0)\">1000000000</limit>" }
            + counts.map { "<limit name=\"\($0)\">50000</limit>" }
        return """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>session</type><listen>unix:path=\(runtime)/bus</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/><allow own="*"/></policy>\(limits.joined())</busconfig>
            """
    }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, 0o600)
    }
}

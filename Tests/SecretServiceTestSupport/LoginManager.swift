package import CredentialStorage
internal import Glibc

/// A login manager with one session, on a private bus that stands for the system's.
package struct LoginManager: Sendable {
    private let bus: PrivateBus
    private let process: pid_t

    /// Starts it and waits until it can be asked.
    ///
    /// - Parameter bus: The bus.
    /// - Throws: When it does not come up.
    package init(on bus: PrivateBus) throws {
        self.bus = bus
        process = try bus.start(["/usr/bin/python3", "-c", Self.program], log: "login.log")
        try bus.awaitName(Self.name)
    }

    /// The variables with which a client on the same bus finds its session.
    ///
    /// - Parameter session: The session's name; `nil` for a client that only knows that it has one.
    /// - Returns: The variables.
    package func environment(session: String? = nil) -> Environment {
        var variables = bus.variables
        variables["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
        variables["XDG_SESSION_ID"] = session
        return Environment { [variables] in variables[$0] }
    }

    /// Sets the hint of the session.
    package func setLocked(_ isLocked: Bool) throws {
        _ = try bus.call(
            Self.name, path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager", method: "Lock",
            signature: "s", values: [isLocked ? "yes" : "no"])
    }

    /// Stops it where it is: it is asked and says nothing.
    package func stop() throws { try bus.signal(SIGSTOP, to: process) }

    /// Ends it as a crash would.
    package func kill() throws {
        try bus.kill(process)
        try bus.awaitName(Self.name, isPresent: false)
    }

    private static let name = "org.freedesktop.login1"

    private static let program = """
        from gi.repository import Gio, GLib
        XML = '''<node><interface name="org.freedesktop.login1.Session">
        <property name="LockedHint" type="b" access="read"/></interface>
        <interface name="org.freedesktop.login1.Manager"><method name="GetSession">
        <arg type="s" direction="in"/><arg type="o" direction="out"/></method>
        <method name="Lock"><arg type="s" direction="in"/></method></interface></node>'''
        node = Gio.DBusNodeInfo.new_for_xml(XML)
        state = {"locked": False}
        def call(bus, sender, path, interface, method, arguments, invocation):
            if method == "Lock":
                state["locked"] = arguments.unpack()[0] == "yes"
                invocation.return_value(None)
            else:
                invocation.return_value(GLib.Variant("(o)", ("/org/freedesktop/login1/session/" + arguments.unpack()[0],)))
        def get(bus, sender, path, interface, name):
            return GLib.Variant("b", state["locked"])
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        for path in ["auto", "c7"]:
            bus.register_object("/org/freedesktop/login1/session/" + path, node.interfaces[0], None, get, None)
        bus.register_object("/org/freedesktop/login1", node.interfaces[1], call, None, None)
        Gio.bus_own_name_on_connection(bus, "org.freedesktop.login1", 0, None, None)
        GLib.MainLoop().run()
        """
}

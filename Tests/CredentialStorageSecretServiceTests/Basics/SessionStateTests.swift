#if SecretService
    import CredentialStorage
    import CredentialStorageSecretService
    import Foundation
    import SecretServiceTestSupport
    import Testing

    @Suite("Whether the user's session is locked", .serialized, .timeLimit(.minutes(2)))
    struct SessionStateTests {
        /// A login manager with one session, whose hint a call changes.
        private static let manager = """
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

        private func environment(_ bus: PrivateBus, _ more: [String: String] = [:]) -> Environment {
            let variables = bus.variables.merging(["DBUS_SYSTEM_BUS_ADDRESS": bus.address]) { $1 }
                .merging(more) { $1 }
            return Environment { variables[$0] }
        }

        private func category(_ body: () throws -> Void) -> UnavailableCategory? {
            do { try body() } catch { return (error as? StorageError)?.category }
            return nil
        }

        @Test("the hint of the own session, by its name or without one, closes and opens a store")
        func hint() throws {
            let keyring = try GnomeKeyring()
            let bus = keyring.bus
            _ = try bus.start(["/usr/bin/python3", "-c", Self.manager], log: "login.log")
            try bus.awaitName("org.freedesktop.login1")
            for more in [[:], ["XDG_SESSION_ID": "c7"]] {
                let state = LogindSession(environment: environment(bus, more))
                let store = StorageBuilder.SecretService(service: "org.example.state")
                    .environment(bus.environment).lookingAhead(false)
                    .accessibility(.whenUnlockedThisDeviceOnly).sessionState(state).build()
                try setLocked(false, bus)
                #expect(try !state.isLocked())
                try store.set("value", forKey: "name")
                try setLocked(true, bus)
                #expect(try state.isLocked())
                #expect(category { _ = try store.get("name") } == .sessionLocked)
                #expect(category { try store.set("value", forKey: "name") } == .sessionLocked)
                #expect(category { try store.unlock() } == .sessionLocked)
                #expect(store.probe().reason?.category == .sessionLocked)
                try setLocked(false, bus)
                #expect(try store.string(forKey: "name") == "value")
                #expect(try store.protection.accessibility == .whenUnlockedThisDeviceOnly)
            }
        }

        private func setLocked(_ isLocked: Bool, _ bus: PrivateBus) throws {
            _ = try bus.call(
                "org.freedesktop.login1", path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager",
                method: "Lock", signature: "s", values: [isLocked ? "yes" : "no"])
        }

        @Test("without a system bus, a login manager or a session the state is not known")
        func unknown() throws {
            let bus = try PrivateBus()
            for address in [bus.address, "unix:path=\(bus.directory)/nothing"] {
                let state = LogindSession(environment: environment(bus, ["DBUS_SYSTEM_BUS_ADDRESS": address]))
                #expect(category { _ = try state.isLocked() } == .sessionStateUnknown)
                let store = StorageBuilder.SecretService(service: "org.example.state")
                    .environment(bus.environment).lookingAhead(false)
                    .accessibility(.whenUnlockedThisDeviceOnly).sessionState(state).build()
                #expect(category { _ = try store.get("name") } == .sessionStateUnknown)
            }
        }
    }
#endif
